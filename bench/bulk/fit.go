package main

import "time"

// A cost is what a run needs for URLs and for origins: time = perURL × URLs + perOrigin × origins.
type cost struct{ perURL, perOrigin float64 } // seconds

// A point is what a run needed.
type point struct {
	urls, origins int
	took          time.Duration
}

// fit returns the cost that predicts the points best: the sum of the squares of the relative errors is
// the least. Points with the same number of URLs for each origin only have no such cost.
func fit(points []point) cost {
	var uu, uo, oo, u, o float64 // sums of products; each point is divided by its time
	for _, p := range points {
		x, y := float64(p.urls)/p.took.Seconds(), float64(p.origins)/p.took.Seconds()
		uu, uo, oo, u, o = uu+x*x, uo+x*y, oo+y*y, u+x, o+y
	}
	d := uu*oo - uo*uo
	return cost{(u*oo - o*uo) / d, (o*uu - u*uo) / d}
}

// wrong returns by how much the cost differs from what a run needed, as a part of the latter.
func (c cost) wrong(p point) float64 {
	return (c.perURL*float64(p.urls)+c.perOrigin*float64(p.origins))/p.took.Seconds() - 1
}
