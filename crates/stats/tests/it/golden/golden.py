"""Golden values for crates/stats, computed without any of its code.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install numpy scipy
    /tmp/golden/bin/python crates/stats/tests/golden/golden.py > crates/stats/tests/golden/golden.txt

A line is `what | input numbers | output numbers`. Everything random is seeded. It takes a minute or two, most of it
for the simulated paths of the bounds.
"""
import math
import sys

import numpy as np
import scipy
from scipy import integrate, optimize, stats

ALPHA = 0.05


def line(what, inputs, outputs):
    def show(value):
        return str(value) if isinstance(value, int) else f"{value:.12g}"

    print(f"{what} | {' '.join(map(show, inputs))} | {' '.join(map(show, outputs))}")


def student():
    for freedom in (1, 2, 3, 4, 5, 7, 9, 11, 19, 29, 39, 100):
        for t in (0.1, 0.9, 2.262, 5.92, 20.0):
            line("student_tail", [t, freedom], [2 * stats.t.sf(t, freedom)])
        for tail in (0.2, 0.05, 0.01, 0.05 / 3, 1e-4):
            line("student_critical", [tail, freedom], [stats.t.isf(tail / 2, freedom)])


def samples():
    """Pairs of positive values, as throughput of two variants in each block."""
    rng = np.random.default_rng(20_260_101)
    for n, effect, spread in ((4, 0.10, 0.03), (5, 0.0, 0.05), (8, 0.05, 0.04), (12, -0.02, 0.06), (30, 0.02, 0.05)):
        shared = 0.1 * rng.standard_normal(n)
        left = np.round(10_000 * np.exp(shared + effect + spread * rng.standard_normal(n)), 1)
        right = np.round(10_000 * np.exp(shared + spread * rng.standard_normal(n)), 1)
        yield left.tolist(), right.tolist()


def paired_t():
    """The t interval of a paired comparison on logarithms, as a ratio."""
    for left, right in samples():
        test = stats.ttest_rel(np.log(left), np.log(right))
        low, high = test.confidence_interval(1 - ALPHA)
        point = math.exp(np.mean(np.log(left) - np.log(right)))
        line("paired_t", [len(left)] + left + right, [point, math.exp(low), math.exp(high)])


def one_sample_t():
    for left, _ in samples():
        interval = stats.t.interval(1 - ALPHA, len(left) - 1, np.mean(np.log(left)), stats.sem(np.log(left)))
        line("mean", left, [float(stats.gmean(left)), math.exp(interval[0]), math.exp(interval[1])])


def welch():
    """Welch's interval of the ratio of geometric means, degrees of freedom rounded down as the program does."""
    for left, right in samples():
        right = right[: max(3, len(right) - 2)]
        test = stats.ttest_ind(np.log(left), np.log(right), equal_var=False)
        half = stats.t.isf(ALPHA / 2, math.floor(test.df))
        error = math.sqrt(np.var(np.log(left), ddof=1) / len(left) + np.var(np.log(right), ddof=1) / len(right))
        mean = np.mean(np.log(left)) - np.mean(np.log(right))
        line("welch", [len(left)] + left + right, [math.exp(mean), math.exp(mean - half * error), math.exp(mean + half * error)])


def signed_rank_counts(n):
    """How many of the 2^n sign patterns give each sum of ranks: a product of polynomials in whole numbers."""
    counts = [1]
    for rank in range(1, n + 1):
        longer = counts + [0] * rank
        for at, count in enumerate(counts):
            longer[at + rank] += count
        counts = longer
    return counts


def hodges_lehmann():
    for left, right in samples():
        values = [math.log(a) - math.log(b) for a, b in zip(left, right)]
        n = len(values)
        walsh = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
        line("hodges_lehmann", values, [float(np.median(walsh))])
        counts, below, k = signed_rank_counts(n), 0, 0
        for count in counts:
            below += count
            if below > ALPHA / 2 * 2**n:
                break
            k += 1
        if k > 0:
            line("hodges_lehmann_interval", values, [walsh[k - 1], walsh[len(walsh) - k]])
            # The p value of SciPy's exact signed-rank test at the ends agrees: the end itself is not rejected.
            inside = stats.wilcoxon(np.array(values) - (walsh[k - 1] + 1e-9), method="exact").pvalue
            outside = stats.wilcoxon(np.array(values) - (walsh[k - 1] - 1e-9), method="exact").pvalue
            assert inside > ALPHA >= outside or math.isclose(outside, ALPHA), (n, inside, outside)


def bounds():
    """Bounds of the looks, by simulated paths: at each look the quantile that spends what is due by then."""
    plans = {(4, 6, 8, 10, 12): (1, 3), (5, 8, 12, 16, 20, 30): (1, 5), (6, 10, 15, 20, 30, 40): (1,)}
    paths, chunk = 4_000_000, 200_000
    rng = np.random.default_rng(7)
    for looks, claims in plans.items():
        t = np.empty((len(looks), paths), dtype=np.float32)
        for begin in range(0, paths, chunk):
            d = rng.standard_normal((chunk, looks[-1]))
            sums, squares = np.cumsum(d, axis=1), np.cumsum(d * d, axis=1)
            for at, n in enumerate(looks):
                s, q = sums[:, n - 1], squares[:, n - 1]
                variance = (q - s * s / n) / (n - 1)
                t[at, begin : begin + chunk] = np.abs(s / n) / np.sqrt(variance / n)
        for m in claims:
            alive, found, spent = np.ones(paths, dtype=bool), [], 0
            for at, n in enumerate(looks):
                due = ALPHA / m * (n / looks[-1]) ** 1.5
                take = round(due * paths) - spent
                values = t[at][alive]
                bound = float(np.partition(values, len(values) - take)[len(values) - take])
                found.append(bound)
                crossed = alive & (t[at] >= bound)
                spent += int(crossed.sum())
                alive &= ~crossed
            line("bounds", [m] + list(looks), found)


def anytime():
    """The t beyond which the mixture of effect sizes, normal with variance g, is 1/alpha times as likely as none."""

    def log_mixture(t, n, g):
        none = stats.t.pdf(t, n - 1)
        density = lambda effect: stats.nct.pdf(t, n - 1, effect * math.sqrt(n)) * stats.norm.pdf(effect, scale=math.sqrt(g))
        centre = t / math.sqrt(n)
        points = sorted({0.0, centre / 2, centre})
        total, _ = integrate.quad(density, -8 * math.sqrt(g), 8 * math.sqrt(g), points=points, limit=400, epsabs=0, epsrel=1e-9)
        return math.log(total / none)

    for n in (6, 8, 10, 12, 15, 20, 30, 60):
        for alpha in (0.05, 0.05 / 3):
            # Few blocks may never be enough: the mixture is bounded in t.
            if log_mixture(60.0, n, 1.0) < math.log(1 / alpha):
                continue
            bound = optimize.brentq(lambda t: log_mixture(t, n, 1.0) - math.log(1 / alpha), 1.0, 60.0, xtol=1e-9)
            line("anytime", [n, alpha, 1.0], [bound])


def slopes():
    """Straight lines through series: least squares and Theil-Sen."""
    rng = np.random.default_rng(11)
    for n, slope in ((6, 0.0), (12, 2.5), (30, -0.3)):
        x = np.arange(1, n + 1, dtype=float)
        y = np.round(100 + slope * x + rng.standard_normal(n), 4)
        fit = stats.linregress(x, y)
        half = stats.t.isf(ALPHA / 2, n - 2) * fit.stderr
        line("least_squares", [n] + x.tolist() + y.tolist(), [fit.slope, fit.slope - half, fit.slope + half])
        line("theil_sen", [n] + x.tolist() + y.tolist(), [float(stats.theilslopes(y, x)[0])])


def components():
    """One-way random effects: variance of slices within starts, and of starts, from mean squares."""
    rng = np.random.default_rng(13)
    for starts, slices, between, within in ((6, 6, 0.03, 0.02), (12, 4, 0.01, 0.05), (8, 12, 0.0, 0.02)):
        values = np.round(between * rng.standard_normal((starts, 1)) + within * rng.standard_normal((starts, slices)), 8)
        within_square = float(np.mean(np.var(values, axis=1, ddof=1)))
        of_means = float(np.var(values.mean(axis=1), ddof=1))
        line("components", [starts, slices] + values.ravel().tolist(), [within_square, of_means - within_square / slices])


print(f"# Written by golden.py with Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}.")
for part in (student, paired_t, one_sample_t, welch, hodges_lehmann, bounds, anytime, slopes, components):
    part()
