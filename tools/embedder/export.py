"""Writes what the product embeds: python export.py TEACHER rows.npy OUT

or only the neighbours of the table that is in OUT: python export.py --neighbours OUT
"""
import json
import os
import struct
import sys

import numpy as np

TABLE, VOCABULARY, NEIGHBOURS, GOLDEN = 'static-en-256.bin', 'vocab.txt', 'neighbours-24.bin', 'golden.jsonl'
MOST, LEAST = 24, 0.4

TEXTS = [
    'hello world', 'Hello, World!!', '', '   ', 'getUserByID()', 'snake_case_name and camelCaseName',
    "it's the user's don't", 'Café au lait — naïve façade', 'Cafe\u0301', 'ÀÉÎÕÜ ñ ß ø',
    'The quick brown fox jumps over the lazy dog.', '数据库 连接池 PostgreSQL', '日本語のテキスト', '한국어 텍스트', 'Привет мир',
    'مرحبا بالعالم', 'नमस्ते दुनिया', 'emoji 🎉🚀 test', 'a' * 99, 'a' * 101, 'x' * 250 + ' short',
    'tab\tnewline\nreturn\r zero\u200bwidth \u00a0nbsp', 'control\x00\x07chars\ufffd', 'version v1.2.3-rc.4+build',
    'https://example.com/a/b?c=d&e=f#g', 'C:\\Users\\name\\file.txt', 'user@example.com', '$1,234.56 (50%)',
    'SELECT * FROM users WHERE id = 42;', 'We moved the billing service from MySQL to PostgreSQL 16.',
    'which database does billing use?', 'when is the release freeze?',
    'No merges after Thursday noon, the branch is closed until the launch.', 'ﬁ ligature ① ② ½', 'İstanbul ıssız', 'ＦＵＬＬＷＩＤＴＨ',
    'unaffable', 'antidisestablishmentarianism', '##ing ##ed', 'word-with-hyphens/and/slashes', '「引用」。、', '‘curly’ “quotes” …',
    'e.g., i.e.; etc.', '\u202eRTL override', 'Ａ\u3000Ｂ', '𝒳 math 𝔘𝔫𝔦', 'ẞ STRASSE', 'o\u0308sterreich', '...',
]
PAIRS = [(29, 30), (31, 32), (0, 10), (29, 28), (11, 12)]


def is_special(token):
    return token in ('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]') or token.startswith('[unused')


def write_table(rows, vocabulary, out):
    """Writes int8 rows with a scale each, and the vocabulary; gives the rows as they are read again."""
    rows = rows.astype(np.float32)
    rows[[is_special(token) for token in vocabulary]] = 0
    scales = (np.abs(rows).max(1) / 127).astype('<f4')
    codes = np.where(scales[:, None] > 0, np.round(rows / np.maximum(scales, 1e-30)[:, None]), 0).clip(-127, 127).astype(np.int8)
    with open(os.path.join(out, TABLE), 'wb') as f:
        f.write(b'ENGSTAT1' + struct.pack('<II', *rows.shape) + scales.tobytes() + codes.tobytes())
    with open(os.path.join(out, VOCABULARY), 'w', encoding='utf-8', newline='\n') as f:
        f.write('\n'.join(vocabulary) + '\n')
    return codes.astype(np.float32) * scales[:, None]


def write_neighbours(out):
    """Writes for each token those whose rows point the same way."""
    with open(os.path.join(out, TABLE), 'rb') as f:
        table = f.read()
    n, dim = struct.unpack('<II', table[8:16])
    rows = np.frombuffer(table, np.int8, n * dim, 16 + 4 * n).reshape(n, dim).astype(np.float32)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows, live = rows / np.maximum(length, 1e-9), length[:, 0] > 0
    offsets, tokens, cosines = [0], [], []
    for start in range(0, n, 512):
        for i, cosine in enumerate(rows[start:start + 512] @ rows.T, start):
            if live[i]:
                cosine[i] = -1
                best = np.argpartition(-cosine, MOST)[:MOST]
                best = best[(cosine[best] >= LEAST) & live[best]]
                best = best[np.argsort(-cosine[best], kind='stable')]
                tokens.extend(best)
                cosines.extend(np.minimum(255, np.round(cosine[best] * 255)))
            offsets.append(len(tokens))
    with open(os.path.join(out, NEIGHBOURS), 'wb') as f:
        f.write(b'ENGNEIB1' + struct.pack('<I', n) + np.array(offsets, '<u4').tobytes())
        f.write(np.array(tokens, '<u2').tobytes() + np.array(cosines, np.uint8).tobytes())


def write_golden(teacher, rows, out):
    """Writes what the product's own tokenizer and sums are checked against."""
    ids = teacher.pieces(TEXTS)

    def vector(i):
        total = rows[ids[i]].sum(0) if ids[i] else np.zeros(rows.shape[1], np.float32)
        return total / (np.linalg.norm(total) or 1)

    with open(os.path.join(out, GOLDEN), 'w', encoding='utf-8', newline='\n') as f:
        for i, text in enumerate(TEXTS):
            f.write(json.dumps({'text': text, 'ids': ids[i], 'vec8': [round(float(x), 6) for x in vector(i)[:8]]}) + '\n')
        for a, b in PAIRS:
            f.write(json.dumps({'a': TEXTS[a], 'b': TEXTS[b], 'cosine': round(float(vector(a) @ vector(b)), 5)}) + '\n')


def main(folder, rows_file, out):
    from teacher import Teacher  # not needed for the neighbours alone

    teacher, rows = Teacher(folder), np.load(rows_file)
    os.makedirs(out, exist_ok=True)
    rows = write_table(rows, teacher.vocabulary[:len(rows)], out)
    write_neighbours(out)
    write_golden(teacher, rows, out)


if __name__ == '__main__':
    if len(sys.argv) == 3 and sys.argv[1] == '--neighbours':
        write_neighbours(sys.argv[2])
    elif len(sys.argv) == 4:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
