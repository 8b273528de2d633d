-- expect 2: this takes more than 2e+08 operations; is there an infinite loop?
::again:: goto again
