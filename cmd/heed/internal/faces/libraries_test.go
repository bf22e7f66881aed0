package faces

var libraryFaces = []face{}
