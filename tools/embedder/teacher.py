"""The teacher: all-MiniLM-L6-v2, from its weights to sentence vectors."""
import os

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, DIM = 6, 12, 384


class Graph:
    """Builds an ONNX graph: constants by name, nodes by number."""

    def __init__(self):
        self.constants, self.nodes = [], []

    def constant(self, name, value, dtype=None):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype), name))
        return name

    def node(self, op, *inputs, out=None, **attributes):
        out = out or f'n{len(self.nodes)}'
        self.nodes.append(helper.make_node(op, list(inputs), [out], **attributes))
        return out

    def linear(self, x, name):
        return self.node('Add', self.node('MatMul', x, name + '.weight'), name + '.bias')

    def norm(self, x, name):
        return self.node('LayerNormalization', x, name + '.weight', name + '.bias', axis=-1, epsilon=1e-12)


def add_constants(g, weights):
    for name, value in weights.items():
        if value.dtype not in (np.float32, np.float16):
            continue
        is_linear = name.endswith('weight') and value.ndim == 2 and 'embeddings' not in name
        g.constant(name, value.T if is_linear else value, np.float32)
    g.constant('zero', np.array(0, np.int64))
    for name, axes in (('axis1', [1]), ('axis2', [2]), ('axis12', [1, 2])):
        g.constant(name, axes, np.int64)
    g.constant('to_heads', [0, 0, HEADS, DIM // HEADS], np.int64)
    g.constant('from_heads', [0, 0, DIM], np.int64)
    for name, value in (('scale', (DIM / HEADS) ** -0.5), ('masked', -1e9), ('one', 1), ('half', 0.5), ('root_half', 0.5**0.5)):
        g.constant(name, np.array(value, np.float32))


def add_layer(g, x, mask, i):
    name = f'encoder.layer.{i}.'

    def heads(part):
        y = g.linear(x, f'{name}attention.self.{part}')
        return g.node('Transpose', g.node('Reshape', y, 'to_heads'), perm=[0, 2, 1, 3])

    query, key, value = heads('query'), heads('key'), heads('value')
    scores = g.node('MatMul', query, g.node('Transpose', key, perm=[0, 1, 3, 2]))
    weights = g.node('Softmax', g.node('Add', g.node('Mul', scores, 'scale'), mask), axis=-1)
    mixed = g.node('Transpose', g.node('MatMul', weights, value), perm=[0, 2, 1, 3])
    mixed = g.linear(g.node('Reshape', mixed, 'from_heads'), name + 'attention.output.dense')
    x = g.norm(g.node('Add', mixed, x), name + 'attention.output.LayerNorm')
    wide = g.linear(x, name + 'intermediate.dense')
    erf = g.node('Add', g.node('Erf', g.node('Mul', wide, 'root_half')), 'one')
    gelu = g.node('Mul', g.node('Mul', wide, 'half'), erf)
    return g.norm(g.node('Add', g.linear(gelu, name + 'output.dense'), x), name + 'output.LayerNorm')


def build(weights_file, out):
    """Writes the teacher as an ONNX file that gives a vector per token and one per text."""
    g = Graph()
    add_constants(g, load_file(weights_file))
    x = g.node('Gather', 'embeddings.word_embeddings.weight', 'ids', axis=0)
    x = g.node('Add', x, g.node('Gather', 'embeddings.position_embeddings.weight', 'pos', axis=0))
    x = g.node('Add', x, g.node('Gather', 'embeddings.token_type_embeddings.weight', 'zero', axis=0))
    x = g.norm(x, 'embeddings.LayerNorm')
    mask = g.node('Mul', g.node('Sub', 'one', g.node('Unsqueeze', 'mask', 'axis12')), 'masked')
    for i in range(LAYERS):
        x = add_layer(g, x, mask, i)
    counted = g.node('Unsqueeze', 'mask', 'axis2')
    total = g.node('ReduceSum', g.node('Mul', x, counted), 'axis1', keepdims=0)
    g.node('Div', total, g.node('ReduceSum', counted, 'axis1', keepdims=0), out='text')
    g.node('Identity', x, out='tokens')

    def info(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        g.nodes, 'teacher',
        [info('ids', TensorProto.INT64, ['b', 't']), info('mask', TensorProto.FLOAT, ['b', 't']), info('pos', TensorProto.INT64, ['t'])],
        [info('text', TensorProto.FLOAT, ['b', DIM]), info('tokens', TensorProto.FLOAT, ['b', 't', DIM])],
        g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    onnx.save(model, out)


class Teacher:
    """Reads texts with the teacher that is in a folder: model.safetensors, tokenizer.json, vocab.txt."""

    def __init__(self, folder, longest=96):
        self.vocabulary = open(os.path.join(folder, 'vocab.txt'), encoding='utf-8').read().split('\n')
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, 'tokenizer.json'))
        self.tokenizer.enable_truncation(longest)
        self.tokenizer.no_padding()
        small = os.path.join(folder, 'teacher-int8.onnx')
        if not os.path.exists(small):
            whole = os.path.join(folder, 'teacher.onnx')
            build(os.path.join(folder, 'model.safetensors'), whole)
            quantize_dynamic(whole, small, weight_type=QuantType.QInt8)
        options = ort.SessionOptions()
        options.log_severity_level = 3
        self.session = ort.InferenceSession(small, options, providers=['CPUExecutionProvider'])

    def run(self, output, ids, mask):
        return self.session.run([output], {'ids': ids, 'mask': mask, 'pos': np.arange(ids.shape[1])})[0]

    def encode(self, texts, batch_tokens=8192):
        """Gives the unit vectors of texts. Texts of like length are read together."""
        ids = [e.ids for e in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = np.zeros((len(ids), DIM), np.float32)
        at = 0
        while at < len(order):
            end = at + 1
            while end < len(order) and (end - at + 1) * len(ids[order[end]]) <= batch_tokens:
                end += 1
            batch = order[at:end]
            longest = len(ids[batch[-1]])
            padded, mask = np.zeros((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.float32)
            for row, i in enumerate(batch):
                padded[row, :len(ids[i])] = ids[i]
                mask[row, :len(ids[i])] = 1
            v = self.run('text', padded, mask)
            out[batch] = v / np.linalg.norm(v, axis=1, keepdims=True)
            at = end
        return out

    def token_vectors(self, batch=512):
        """Gives the mean output for each token of the vocabulary alone, between [CLS] and [SEP]."""
        n = self.tokenizer.get_vocab_size()
        out = np.zeros((n, DIM), np.float32)
        first, last = self.tokenizer.token_to_id('[CLS]'), self.tokenizer.token_to_id('[SEP]')
        for i in range(0, n, batch):
            tokens = np.arange(i, min(i + batch, n))
            ids = np.stack([np.full(len(tokens), first), tokens, np.full(len(tokens), last)], 1)
            out[tokens] = self.run('tokens', ids, np.ones(ids.shape, np.float32)).mean(1)
        return out

    def pieces(self, texts):
        """Gives the token ids of texts, whole and without [CLS] and [SEP]."""
        tokenizer = Tokenizer.from_str(self.tokenizer.to_str())
        tokenizer.no_truncation()
        return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
