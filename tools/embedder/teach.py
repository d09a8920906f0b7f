"""Lets the teacher read texts: python teach.py TEACHER texts.txt teach.npy"""
import sys
import time

import numpy as np

from teacher import DIM, Teacher

CHUNK = 20000


def main(folder, texts_file, out_file):
    teacher = Teacher(folder)
    texts = [line.rstrip('\n') for line in open(texts_file, encoding='utf-8')]
    out, begun = np.zeros((len(texts), DIM), np.float16), time.time()
    for i in range(0, len(texts), CHUNK):
        out[i:i + CHUNK] = teacher.encode(texts[i:i + CHUNK])
        print(f'{min(i + CHUNK, len(texts))} of {len(texts)}, {time.time() - begun:.0f} s', flush=True)
    np.save(out_file, out)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
