-- expect 2: error without a message
error({})
