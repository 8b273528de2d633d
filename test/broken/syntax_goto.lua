-- expect 3: no visible label 'nowhere'
goto nowhere 
