-- expect 2: body: takes one table in braces
body("top")
