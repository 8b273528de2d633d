-- expect 3: spring 'spring1': both bodies are 'a'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"a", "a"}, k = 1 }
