"""Numbers of components and holes of a mask, by filling it."""


def betti(mask):
    """Parts of the foreground by 8 neighbours, and parts of the background by 4 that do not reach the outside."""
    rows, columns = len(mask), len(mask[0])
    cells = {(r, c) for r in range(-1, rows + 1) for c in range(-1, columns + 1)}
    road = {(r, c) for r in range(rows) for c in range(columns) if mask[r][c]}
    straight = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    slanted = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    return parts(road, straight + slanted), parts(cells - road, straight) - 1


def parts(cells, steps):
    left, count = set(cells), 0
    while left:
        count += 1
        front = [left.pop()]
        while front:
            r, c = front.pop()
            for dr, dc in steps:
                if (r + dr, c + dc) in left:
                    left.remove((r + dr, c + dc))
                    front.append((r + dr, c + dc))
    return count
