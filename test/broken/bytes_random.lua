-- expect 2: unexpected symbol
ÿş€ÀÁ 
