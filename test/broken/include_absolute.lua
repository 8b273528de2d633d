-- expect 2: include: the file: '/etc/passwd': an absolute path; files of a model are beside it or in folders below
include("/etc/passwd")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
