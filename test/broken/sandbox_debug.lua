-- expect 2: model files have no 'debug'
debug.sethook()
