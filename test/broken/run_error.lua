-- expect 2: the wheel needs at least 3 spokes
error("the wheel needs at least 3 spokes")
