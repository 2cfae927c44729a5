"""The exact Euclidean distance transform along one axis of a volume."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel


@kernel
def measure_lines(heights, squares, sites, firsts):
    """Compute the minimum of (i - site)² + heights[line, site] over the sites of each line, in linear time.

    Felzenszwalb and Huttenlocher (2012), in integers. `sites` and `firsts` are scratch arrays: the parabolas of the
    lower envelope, and the first index where each is lowest.
    """
    lines, length = heights.shape
    for line in range(lines):
        last = 0
        sites[0] = firsts[0] = 0
        for here in range(1, length):
            height = heights[line, here]
            while last >= 0:
                site, first = sites[last], firsts[last]
                if (first - site) ** 2 + heights[line, site] <= (first - here) ** 2 + height:
                    break
                last -= 1
            if last < 0:
                last = 0
                sites[0], firsts[0] = here, 0
            else:
                site = sites[last]
                first = 1 + (here * here - site * site + height - heights[line, site]) // (2 * (here - site))
                if first < length:
                    last += 1
                    sites[last], firsts[last] = here, first
        for here in range(length - 1, -1, -1):
            squares[line, here] = (here - sites[last]) ** 2 + heights[line, sites[last]]
            if here == firsts[last]:
                last -= 1
