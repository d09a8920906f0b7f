"""Trains the rows: python train.py TEACHER texts.txt teach.npy rows.npy [dimensions [epochs]]

The sum of a text's rows is to point where the teacher's vector of the text points.
"""
import sys
import time

import numpy as np
import scipy.sparse as sparse

from teacher import Teacher

BATCH, RATE, WARM_UP = 2048, 2e-3, 200
PROJECTED_FROM = 100_000


def bags(teacher, texts):
    """Gives a matrix that counts the tokens of each text."""
    ids = teacher.pieces(texts)
    ends = np.cumsum([0] + [len(x) for x in ids])
    columns = np.concatenate([np.asarray(x, np.int32) for x in ids])
    counts = sparse.csr_matrix((np.ones(len(columns), np.float32), columns, ends),
                               shape=(len(texts), teacher.tokenizer.get_vocab_size()))
    counts.sum_duplicates()
    return counts


def first_rows(token_vectors, projection):
    """Gives the rows to begin with. The vocabulary is roughly sorted by frequency: frequent tokens weigh little."""
    rank = np.arange(1, len(token_vectors) + 1)
    frequency = 1 / rank / np.sum(1 / rank)
    weight = 1e-3 / (1e-3 + frequency)
    unit = token_vectors / np.linalg.norm(token_vectors, axis=1, keepdims=True)
    return (unit @ projection * weight[:, None]).astype(np.float32)


def train(counts, aims, rows, epochs, seed=0):
    """Runs Adam on 1 − cosine; changes rows and gives them back."""
    random, n = np.random.default_rng(seed), counts.shape[0]
    batch = min(BATCH, n)
    steps, step = epochs * (n // batch), 0
    mean, square = np.zeros_like(rows), np.zeros_like(rows)
    for epoch in range(epochs):
        order, losses, begun = random.permutation(n), [], time.time()
        for i in range(0, n - batch + 1, batch):
            chosen = order[i:i + batch]
            some, aim = counts[chosen], aims[chosen].astype(np.float32)
            total = some @ rows
            length = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-6)
            unit = total / length
            cosine = (unit * aim).sum(1, keepdims=True)
            losses.append(1 - float(cosine.mean()))
            gradient = np.asarray(some.T @ ((unit * cosine - aim) / length)) / batch * 100
            step += 1
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient * gradient
            rate = RATE * min(1, step / WARM_UP) * (1 - step / (steps + 1))
            rows -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        print(f'epoch {epoch}: loss {np.mean(losses):.4f}, {time.time() - begun:.0f} s', flush=True)
    return rows


def main(folder, texts_file, teach_file, out_file, dimensions=256, epochs=7):
    teacher = Teacher(folder)
    aims = np.load(teach_file).astype(np.float32)
    texts = [line.rstrip('\n') for line in open(texts_file, encoding='utf-8')]
    if len(texts) != len(aims):
        sys.exit(f'{texts_file} has {len(texts)} texts, {teach_file} vectors of {len(aims)}: teach them anew')
    sound = np.linalg.norm(aims, axis=1) > 0.5
    aims, texts = aims[sound], [text for text, ok in zip(texts, sound) if ok]
    some = aims[:PROJECTED_FROM]
    projection = np.linalg.eigh(some.T @ some)[1][:, ::-1][:, :int(dimensions)]
    aims = aims @ projection
    aims /= np.linalg.norm(aims, axis=1, keepdims=True)
    rows = first_rows(teacher.token_vectors(), projection)
    np.save(out_file, train(bags(teacher, texts), aims, rows, int(epochs)))


if __name__ == '__main__':
    if not 5 <= len(sys.argv) <= 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
