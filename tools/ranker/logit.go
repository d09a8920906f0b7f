package main

import "math"

// logit fits the probability of y to weights·row, by Newton's method with halved
// steps. Every row begins with 1, whose weight alone is not kept small.
func logit(rows [][]float64, y, weights []float64, ridge float64) []float64 {
	w := make([]float64, len(rows[0]))
	loss := logLoss(rows, y, weights, w, ridge)
	for range 60 {
		gradient, hessian := logSlopes(rows, y, weights, w, ridge)
		step := solve(hessian, gradient)
		length := 1.0
		for ; length > 1e-4; length /= 2 {
			next := make([]float64, len(w))
			for j := range w {
				next[j] = w[j] - length*step[j]
			}
			if l := logLoss(rows, y, weights, next, ridge); l < loss {
				w, loss = next, l
				break
			}
		}
		if length <= 1e-4 {
			break
		}
	}
	return w
}

func logLoss(rows [][]float64, y, weights, w []float64, ridge float64) float64 {
	sum := 0.0
	for i, row := range rows {
		z := dot(row, w)
		sum += weights[i] * (math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y[i]*z)
	}
	for _, x := range w[1:] {
		sum += ridge * x * x / 2
	}
	return sum
}

func logSlopes(rows [][]float64, y, weights, w []float64, ridge float64) ([]float64, [][]float64) {
	gradient, hessian := make([]float64, len(w)), make([][]float64, len(w))
	for j := range hessian {
		hessian[j] = make([]float64, len(w))
		hessian[j][j] = 1e-9
		if j > 0 {
			gradient[j] = ridge * w[j]
			hessian[j][j] = ridge
		}
	}
	for i, row := range rows {
		p := logistic(dot(row, w))
		e, v := weights[i]*(p-y[i]), weights[i]*p*(1-p)
		for j, x := range row {
			gradient[j] += e * x
			for k, z := range row {
				hessian[j][k] += v * x * z
			}
		}
	}
	return gradient, hessian
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for j := range x {
		sum += x[j] * y[j]
	}
	return sum
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// solve gives x of a·x = b by elimination; a is positive definite, and both are
// used up.
func solve(a [][]float64, b []float64) []float64 {
	for i := range b {
		for r := i + 1; r < len(b); r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < len(b); c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	x := make([]float64, len(b))
	for i := len(b) - 1; i >= 0; i-- {
		x[i] = b[i]
		for c := i + 1; c < len(b); c++ {
			x[i] -= a[i][c] * x[c]
		}
		x[i] /= a[i][i]
	}
	return x
}
