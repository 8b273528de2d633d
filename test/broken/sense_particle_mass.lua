-- expect 2: particle 'p': mass is -2
particle { name = "p", mass = -2 }
