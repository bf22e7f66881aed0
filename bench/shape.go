package main

func shapedInputs() *inputs { return nil }
