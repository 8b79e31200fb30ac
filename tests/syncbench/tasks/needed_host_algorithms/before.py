import bisect
import heapq
import math
import statistics
import struct

import numpy
import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(4, device=device)


def assignment(costs):
    chosen, free = [], set(range(costs.shape[1]))
    for row in costs:
        best = min(free, key=lambda column: row[column])
        free.remove(best)
        chosen.append(best)
    return chosen


def spanning_tree(weights):
    inside, edges = {0}, []
    while len(inside) < len(weights):
        edges.append(min((weights[i][j], i, j) for i in inside for j in range(4) if j not in inside))
        inside.add(edges[-1][2])
    return edges


def shortest(weights):
    distance, heap = {}, [(0.0, 0)]
    while heap:
        so_far, at = heapq.heappop(heap)
        if at not in distance:
            distance[at] = so_far
            for to in range(4):
                heapq.heappush(heap, (so_far + weights[at][to], to))
    return distance


def work():
    points = torch.rand(4, 2, device=device)
    distances = torch.cdist(points, points)
    pairs = assignment(distances.cpu().numpy())
    tree = spanning_tree(distances.tolist())
    ways = shortest((distances + 0.1).tolist())
    middle = statistics.median(points[:, 0].tolist())
    order = numpy.lexsort(points.T.cpu().numpy())
    hull = numpy.linalg.svd(points.cpu().numpy())[1]
    whole = math.fsum(points.flatten().tolist())
    largest = heapq.nlargest(2, distances[0].tolist())
    words = sorted(map(str, (points[:, 1] * 9).long().tolist()))
    spline = numpy.interp(0.5, [0.0, 1.0], points[:2, 0].cpu().numpy())
    places = bisect.bisect(sorted([0.2, 0.5, 0.8]), points[0, 1].item())
    packed = struct.pack("4f", *points[:, 0].tolist())
    limits = numpy.linspace(0, float(points.max()), 3)
    table = numpy.histogram(points.flatten().cpu().numpy(), bins=3)[0]
    answer = torch.tensor(pairs, device=device)
    extra = torch.tensor([len(tree), ways[3], middle + whole, float(order[0])], device=device)
    kept.add_(
        answer
        + extra
        + float(hull[0])
        + largest[0]
        + len(words)
        + float(spline)
        + places
        + len(packed)
        + float(limits[1])
        + int(table[0])
    )


for _ in range(8):
    work()
