-- expect 2: model files have no 'os'
os.execute("true")
