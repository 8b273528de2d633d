-- expect 2: model files have no 'print'
print("hello")
