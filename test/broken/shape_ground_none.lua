-- expect 2: ground: shape is missing
ground { }
