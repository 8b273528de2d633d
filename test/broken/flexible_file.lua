-- expect 2: none.json': No such file
flexible{ name = "rod", file = "none.json" }
