-- expect 2: model files have no 'collectgarbage'
collectgarbage("stop")
