-- expect 2: model files have no 'pcall'
pcall(error)
