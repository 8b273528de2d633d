-- expect 2: unexpected symbol
body = @
