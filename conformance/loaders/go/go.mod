module firstflight.example/flat

go 1.21
