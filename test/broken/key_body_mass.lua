-- expect 3: no key 'mas' in a body; did you mean 'mass'?
model "broken"
body { name = "top", inertia = {1, 1, 1}, mas = 1 }
