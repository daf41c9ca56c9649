module firstflight/adapter

go 1.24
