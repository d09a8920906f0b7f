"""Prints training texts, one a line: python texts.py KIND FOLDER...

KIND is dialogue, sentences, wordnet, prose, documents, summaries or questions; README.md says
what each reads. Files are those below the folders, in order of name; .gz and .dz are unpacked.
"""
import gzip
import json
import os
import re
import sys

from selectolax.lexbor import LexborHTMLParser

TURN_KEYS = {'text', 'utterance', 'message', 'shortened_wiki_lead_section', 'summarized_wiki_lead_section', 'FS1', 'FS2', 'FS3'}
QUESTION_KEYS = {'question', 'question_text', 'paragraph_text', 'original_nq_question', 'title_text'}
LARGEST = 64 << 20


def files(folders, pattern):
    for folder in folders:
        for root, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = os.path.join(root, name)
                if re.search(pattern, path) and os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                    yield path


def read(path):
    opened = gzip.open(path, 'rb') if path.endswith(('.gz', '.dz')) else open(path, 'rb')
    with opened as f:
        return f.read().decode('utf-8', 'ignore')


def strings(value, keys):
    """Gives the strings that a JSON value has under some keys, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in keys and isinstance(inner, str):
                yield inner
            else:
                yield from strings(inner, keys)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, keys)


def split(text):
    """Gives the sentences of a paragraph."""
    return re.split(r'(?<=[.!?:])\s+(?=[A-Z`"(])', re.sub(r'\s+', ' ', text))


def is_prose(text):
    return sum(c.isalpha() or c == ' ' for c in text) > 0.75 * len(text)


def dialogue(folders):
    for path in files(folders, r'\.json$'):
        try:
            yield from strings(json.loads(read(path)), TURN_KEYS)
        except ValueError:
            print(f'{path}: not JSON, left out', file=sys.stderr)


def sentences(folders):
    for path in files(folders, r'\.(tsv|txt)(\.gz)?$'):
        for line in read(path).split('\n'):
            yield from re.split(r'\t| <::::> ', line)


def wordnet(folders):
    for path in files(folders, r'/data\.(noun|verb|adj|adv)$'):
        for line in read(path).split('\n'):
            head, bar, gloss = line.partition(' | ')
            if not bar or line.startswith(' '):
                continue
            words = [w.replace('_', ' ') for w in re.findall(r'(?<= )[A-Za-z_]{3,}(?= [0-9a-f] )', head)]
            yield from (part.strip(' "') for part in gloss.split('; '))
            if words:
                yield f'{" ".join(words)}: {gloss.split(";")[0]}'
                yield ', '.join(words)


def prose(folders):
    for path in files(folders, r'\.txt(\.gz)?$'):
        yield from re.split(r'(?<=[.!?])\s+|\n\s*\n', read(path))


def of_html(text):
    page = LexborHTMLParser(text)
    for tag in ('script', 'style', 'pre', 'nav', 'table'):
        for node in page.css(tag):
            node.decompose()
    for node in page.css('p, li, dd, h1, h2, h3, dt'):
        yield from split(node.text())


def of_manual(text):
    text = re.sub(r'\\f[BIRP]|\\&|\\\(..', '', text.replace('\\-', '-'))
    for paragraph in re.split(r'\n\.(?:PP|TP|SH|IP|P|LP|SS)[^\n]*\n|\n\n', text):
        paragraph = re.sub(r'(?m)^\.[\\"a-zA-Z]{1,3}( [^\n]*)?$', '', re.sub(r'(?m)^\.(?:BR|B|I|IR|RB|RI|BI|IB)\s', '', paragraph))
        yield from split(paragraph)


def of_text(text):
    for paragraph in re.split(r'\n\s*\n', re.sub(r'[{}\\]', '', text)):
        yield from split(paragraph)


def documents(folders):
    for pattern, reader in ((r'\.html?(\.gz)?$', of_html), (r'/man\d/[^/]*\.gz$', of_manual), (r'\.(txt|dict)(\.gz|\.dz)?$', of_text)):
        for path in files(folders, pattern):
            yield from filter(is_prose, reader(read(path)))


def summaries(folders):
    for path in files(folders, r'\.tsv$'):
        for line in read(path).split('\n')[1:]:
            summary = line.split('\t')[-1]
            if len(summary) > 30 and summary.isascii():
                yield summary


def questions(folders):
    for path in files(folders, r'jsonl(ines)?$'):
        for line in read(path).split('\n'):
            if line:
                yield from strings(json.loads(line), QUESTION_KEYS)


KINDS = {f.__name__: f for f in (dialogue, sentences, wordnet, prose, documents, summaries, questions)}


def main(kind, *folders):
    seen = set()
    for text in KINDS[kind](folders):
        text = re.sub(r'\s+', ' ', text).strip()
        if 12 <= len(text) <= 400 and text not in seen:
            seen.add(text)
            print(text)


if __name__ == '__main__':
    if len(sys.argv) < 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
