package keyword

import (
	"encoding/binary"
	"errors"
	"math"
	"sort"
)

// How the postings of a term are kept depends only on how many they are (df)
// among how many documents (n):
//
//   - small: per posting a varint of the gap, its last bit set when the
//     frequency is not 1 and follows as a varint.
//   - dense: a bitmap of the documents; frequencies packed, by ranges of
//     rangeLen documents.
//   - packed: blocks of blockLen postings, gaps and frequencies packed.
//
// Dense and packed ones begin with a header of eight bytes a block: last
// document (packed) or number of postings before (dense), offset of the block
// (packed) or of its frequencies (dense) behind the headers or the bitmap,
// greatest frequency, least length, bits of a gap, bits of a frequency.
const (
	smallMax   = 64
	blockLen   = 128
	rangeLen   = 512
	denseShare = 6 // dense from a sixth of the documents on
	headerLen  = 8
	rangeBytes = rangeLen / 8
)

type listKind uint8

const (
	kindPlain listKind = iota // slices: of the tail, or small and read already
	kindDense
	kindPacked
)

// list gives access to the postings of one term in one part.
type list struct {
	kind   listKind
	df     int
	count  int    // of blocks
	head   []byte // headers
	bitmap []byte
	body   []byte

	docs, tfs []uint16 // kindPlain
	maxTF     uint16
	minLen    uint32
}

// block is room for the postings of one block.
type block struct {
	docs, tfs     []uint16
	docBuf, tfBuf [rangeLen]uint16
}

// maxCode stands for any frequency from it on.
const maxCode = 255

func denseIn(df, n int) bool { return n >= rangeLen && df*denseShare >= n }

// appendList appends the postings of a term. docs ascend; tfs are at least 1.
func appendList(dst []byte, docs, tfs []uint16, length []uint32) []byte {
	df, n := len(docs), len(length)
	dst = binary.AppendUvarint(dst, uint64(df))
	switch {
	case df <= smallMax:
		return appendSmall(dst, docs, tfs)
	case denseIn(df, n):
		return appendDense(dst, docs, tfs, length)
	default:
		return appendBlocks(dst, docs, tfs, length)
	}
}

func appendSmall(dst []byte, docs, tfs []uint16) []byte {
	last := -1
	for i, d := range docs {
		gap := uint64(int(d)-last-1) << 1
		last = int(d)
		if tfs[i] == 1 {
			dst = binary.AppendUvarint(dst, gap)
			continue
		}
		dst = binary.AppendUvarint(dst, gap|1)
		dst = binary.AppendUvarint(dst, uint64(tfs[i]))
	}
	return dst
}

// bounds gives what the scores of a block's documents cannot exceed.
func bounds(docs, tfs []uint16, length []uint32) (maxTF, minLen uint8) {
	var tf uint16
	least := uint32(math.MaxUint32)
	for i, d := range docs {
		tf = max(tf, tfs[i])
		least = min(least, length[d])
	}
	return uint8(min(tf, maxCode)), lengthCode(least)
}

func appendBlocks(dst []byte, docs, tfs []uint16, length []uint32) []byte {
	var body []byte
	var gaps, less [blockLen]uint16
	last := -1
	for len(docs) > 0 {
		m := min(blockLen, len(docs))
		for i := range m {
			gaps[i] = uint16(int(docs[i]) - last - 1)
			last = int(docs[i])
			less[i] = tfs[i] - 1
		}
		gapBits, tfBits := width(gaps[:m]), width(less[:m])
		maxTF, minLen := bounds(docs[:m], tfs[:m], length)
		dst = appendHeader(dst, docs[m-1], len(body), maxTF, minLen, gapBits, tfBits)
		body = appendPacked(body, gaps[:m], gapBits)
		body = appendPacked(body, less[:m], tfBits)
		docs, tfs = docs[m:], tfs[m:]
	}
	return append(dst, body...)
}

func appendDense(dst []byte, docs, tfs []uint16, length []uint32) []byte {
	ranges := (len(length) + rangeLen - 1) / rangeLen
	bitmap := make([]byte, ranges*rangeBytes)
	var body []byte
	var less [rangeLen]uint16
	at := 0
	for r := range ranges {
		from := at
		for at < len(docs) && int(docs[at]) < (r+1)*rangeLen {
			bitmap[docs[at]>>3] |= 1 << (docs[at] & 7)
			less[at-from] = tfs[at] - 1
			at++
		}
		tfBits := width(less[:at-from])
		maxTF, minLen := bounds(docs[from:at], tfs[from:at], length)
		dst = appendHeader(dst, uint16(from), len(body), maxTF, minLen, 0, tfBits)
		body = appendPacked(body, less[:at-from], tfBits)
	}
	dst = append(dst, bitmap...)
	return append(dst, body...)
}

func appendHeader(dst []byte, first uint16, offset int, maxTF, minLen uint8, gapBits, tfBits int) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, first)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(offset))
	return append(dst, maxTF, minLen, uint8(gapBits), uint8(tfBits))
}

func (l *list) header(i int) []byte { return l.head[i*headerLen : i*headerLen+headerLen] }

func (l *list) first(i int) int { return int(binary.LittleEndian.Uint16(l.head[i*headerLen:])) }

// packedAt gives the packed bytes of a block.
func (l *list) packedAt(h []byte) []byte { return l.body[binary.LittleEndian.Uint16(h[2:]):] }

// size gives the number of postings in a block.
func (l *list) size(i int) int {
	switch l.kind {
	case kindDense:
		if i+1 < l.count {
			return l.first(i+1) - l.first(i)
		}
		return l.df - l.first(i)
	case kindPacked:
		return min(blockLen, l.df-i*blockLen)
	}
	return min(rangeLen, l.df-i*rangeLen)
}

// openList reads where the parts of a list are; data begins with it. Only
// small lists are decoded. It trusts data: see [list.verify].
func openList(l *list, data []byte, length []uint32) {
	v, k := binary.Uvarint(data)
	l.df, data = int(v), data[k:]
	n := len(length)
	switch {
	case l.df <= smallMax:
		l.readSmall(data, length)
	case denseIn(l.df, n):
		l.kind = kindDense
		l.count = (n + rangeLen - 1) / rangeLen
		l.head = data[:l.count*headerLen]
		data = data[l.count*headerLen:]
		l.bitmap = data[:l.count*rangeBytes]
		l.body = data[l.count*rangeBytes:]
	default:
		l.kind = kindPacked
		l.count = (l.df + blockLen - 1) / blockLen
		l.head = data[:l.count*headerLen]
		l.body = data[l.count*headerLen:]
	}
}

func (l *list) readSmall(data []byte, length []uint32) {
	buf := make([]uint16, 2*l.df)
	l.kind, l.count = kindPlain, 1
	l.docs, l.tfs = buf[:l.df], buf[l.df:]
	l.minLen = math.MaxUint32
	last := -1
	for i := range l.docs {
		v, k := binary.Uvarint(data)
		data = data[k:]
		last += int(v>>1) + 1
		tf := uint64(1)
		if v&1 != 0 {
			tf, k = binary.Uvarint(data)
			data = data[k:]
		}
		l.docs[i], l.tfs[i] = uint16(last), uint16(tf)
		l.maxTF = max(l.maxTF, uint16(tf))
		l.minLen = min(l.minLen, length[last])
	}
}

// bound gives the greatest frequency and the least length in a block; maxCode
// as a frequency means that there may be more.
func (l *list) bound(i int) (maxTF uint16, minLen uint32) {
	if l.kind == kindPlain {
		return l.maxTF, l.minLen
	}
	h := l.header(i)
	return uint16(h[4]), codeLength(h[5])
}

var ones = func() (v [rangeLen]uint16) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

// decode reads block i into b.
func (l *list) decode(i int, b *block) {
	if l.kind == kindPlain {
		from := i * rangeLen
		to := min(from+rangeLen, l.df)
		b.docs, b.tfs = l.docs[from:to], l.tfs[from:to]
		return
	}
	l.decodeDocs(i, b)
	h, n := l.header(i), len(b.docs)
	tfBits := int(h[7])
	if tfBits == 0 {
		b.tfs = ones[:n]
		return
	}
	src := l.packedAt(h)
	if l.kind == kindPacked {
		src = src[packedSize(n, int(h[6])):]
	}
	b.tfs = b.tfBuf[:n]
	unpack(b.tfs, src, tfBits)
	for j := range b.tfs {
		b.tfs[j]++
	}
}

func (l *list) decodeDocs(i int, b *block) {
	b.docs = b.docBuf[:l.size(i)]
	if l.kind == kindDense {
		l.decodeRange(i, b.docs)
		return
	}
	h := l.header(i)
	unpack(b.docs, l.packedAt(h), int(h[6]))
	last := -1
	if i > 0 {
		last = l.first(i - 1)
	}
	for j, gap := range b.docs {
		last += int(gap) + 1
		b.docs[j] = uint16(last)
	}
}

func (l *list) decodeRange(i int, docs []uint16) {
	at := 0
	words := l.bitmap[i*rangeBytes : (i+1)*rangeBytes]
	for w := range rangeBytes / 8 {
		base := uint16(i*rangeLen + w*64)
		for word := binary.LittleEndian.Uint64(words[w*8:]); word != 0; word &= word - 1 {
			docs[at] = base + uint16(trailing(word))
			at++
		}
	}
}

// frequencies puts the frequency in each of docs, which ascend, into out; 0
// where the term is not.
func (l *list) frequencies(docs, out []uint16, b *block) {
	switch l.kind {
	case kindPlain:
		l.plainFrequencies(docs, out)
	case kindDense:
		for i, d := range docs {
			out[i] = l.denseFrequency(d)
		}
	case kindPacked:
		l.packedFrequencies(docs, out, b)
	}
}

func (l *list) plainFrequencies(docs, out []uint16) {
	have := l.docs
	off := 0
	for i, d := range docs {
		j := searchDocs(have[off:], d)
		off += j
		out[i] = 0
		if off < len(have) && have[off] == d {
			out[i] = l.tfs[off]
		}
	}
}

func (l *list) denseFrequency(d uint16) uint16 {
	if l.bitmap[d>>3]>>(d&7)&1 == 0 {
		return 0
	}
	r := int(d) / rangeLen
	h := l.header(r)
	if h[7] == 0 {
		return 1
	}
	words := l.bitmap[r*rangeBytes:]
	in := int(d) % rangeLen
	rank := 0
	for w := range in / 64 {
		rank += ones64(binary.LittleEndian.Uint64(words[w*8:]))
	}
	last := binary.LittleEndian.Uint64(words[in/64*8:])
	rank += ones64(last & (1<<(in%64) - 1))
	return unpackAt(l.packedAt(h), int(h[7]), rank) + 1
}

func (l *list) packedFrequencies(docs, out []uint16, b *block) {
	at, read := 0, -1
	for i, d := range docs {
		out[i] = 0
		if at >= l.count {
			continue
		}
		if l.first(at) < int(d) {
			at += sort.Search(l.count-at, func(j int) bool { return l.first(at+j) >= int(d) })
			if at >= l.count {
				continue
			}
		}
		if read != at {
			l.decodeDocs(at, b)
			read = at
		}
		j := searchDocs(b.docs, d)
		if j < len(b.docs) && b.docs[j] == d {
			h := l.header(at)
			out[i] = unpackAt(l.packedAt(h)[packedSize(len(b.docs), int(h[6])):], int(h[7]), j) + 1
		}
	}
}

// searchDocs gives the place of the first of docs that is not before d.
func searchDocs(docs []uint16, d uint16) int {
	lo, hi := 0, len(docs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if docs[mid] < d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

var errList = errors.New("postings are malformed")

// verifyList checks that data is exactly one list over n documents, so that
// everything else may trust it.
func verifyList(data []byte, n int, b *block) error {
	v, k := binary.Uvarint(data)
	if k <= 0 || v == 0 || v > uint64(n) {
		return errList
	}
	df, data := int(v), data[k:]
	switch {
	case df <= smallMax:
		return verifySmall(data, df, n)
	case denseIn(df, n):
		return verifyDense(data, df, n)
	default:
		return verifyBlocks(data, df, n, b)
	}
}

func verifySmall(data []byte, df, n int) error {
	last := -1
	for range df {
		v, k := binary.Uvarint(data)
		if k <= 0 || v>>1 >= uint64(n) {
			return errList
		}
		data = data[k:]
		if last += int(v>>1) + 1; last >= n {
			return errList
		}
		if v&1 != 0 {
			tf, k := binary.Uvarint(data)
			if k <= 0 || tf < 2 || tf > math.MaxUint16 {
				return errList
			}
			data = data[k:]
		}
	}
	if len(data) != 0 {
		return errList
	}
	return nil
}

func verifyBlocks(data []byte, df, n int, b *block) error {
	count := (df + blockLen - 1) / blockLen
	if len(data) < count*headerLen {
		return errList
	}
	// Room behind the last block lets unpack read whole words.
	l := list{kind: kindPacked, df: df, count: count, head: data[:count*headerLen]}
	size := len(data) - count*headerLen
	l.body = data[count*headerLen : len(data) : cap(data)][:min(size+padding, cap(data)-count*headerLen)]
	if len(l.body) < size+padding {
		return errList
	}
	want := 0
	last := -1
	for i := range count {
		h := l.header(i)
		if h[6] > 16 || h[7] > 16 || int(binary.LittleEndian.Uint16(h[2:])) != want {
			return errList
		}
		m := l.size(i)
		want += packedSize(m, int(h[6])) + packedSize(m, int(h[7]))
		if want > size {
			return errList
		}
		gaps := b.docBuf[:m]
		unpack(gaps, l.packedAt(h), int(h[6]))
		for _, gap := range gaps {
			last += int(gap) + 1
		}
		if last >= n || last != l.first(i) {
			return errList
		}
	}
	if want != size {
		return errList
	}
	return nil
}

func verifyDense(data []byte, df, n int) error {
	count := (n + rangeLen - 1) / rangeLen
	if len(data) < count*(headerLen+rangeBytes) {
		return errList
	}
	head, data := data[:count*headerLen], data[count*headerLen:]
	bitmap, data := data[:count*rangeBytes], data[count*rangeBytes:]
	rank, want := 0, 0
	for r := range count {
		h := head[r*headerLen:]
		if int(binary.LittleEndian.Uint16(h)) != rank || int(binary.LittleEndian.Uint16(h[2:])) != want || h[7] > 16 {
			return errList
		}
		m := 0
		for w := range rangeBytes / 8 {
			word := binary.LittleEndian.Uint64(bitmap[r*rangeBytes+w*8:])
			if over := n - r*rangeLen - w*64; over < 64 && word>>max(over, 0) != 0 {
				return errList
			}
			m += ones64(word)
		}
		rank += m
		want += packedSize(m, int(h[7]))
	}
	if rank != df || want != len(data) {
		return errList
	}
	return nil
}
