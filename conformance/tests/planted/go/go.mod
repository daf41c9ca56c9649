module firstflight.example/planted

go 1.21
