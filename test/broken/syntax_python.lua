-- expect 2: syntax error near 'body'
def body(name):
    return name
