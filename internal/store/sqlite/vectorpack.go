package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"engram/internal/keyword"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
	"engram/internal/vector"
)

// Packs are what a search needs of the vectors of a model before it knows which
// codes to compare: whose they are, and their signs, an eighth of a byte for each
// code. They are made of rows, in the background or when a store is closed, and
// each start reads them instead of the rows, but for those written since. Whatever
// changes a row that is packed drops the packs of its model, by triggers (migration
// 0004), and an erasure writes them anew.

// errOtherPacks is told inside a transaction when the packs are not those that it
// was prepared for.
var errOtherPacks = errors.New("the packs of vectors changed")

// loadPacks begins the index's space of a model with its packs, those that were
// read ahead, if there are such, and gives the generation of their rows.
func (k *keywordIndex) loadPacks(ctx context.Context, x *keyword.Index, model vector.Space, ahead aheadPacks) (generation int64, err error) {
	read, ok := ahead[model]
	if !ok {
		read = make(chan packedRows, 1)
		read <- k.readPacks(ctx, model)
	}
	delete(ahead, model) // once: another generation may be wanted the next time
	rows := <-read
	if rows.err == nil {
		x.LoadVectors(rows.packed)
	}
	return rows.generation, rows.err
}

// packedRows is what packs have of the rows of a generation.
type packedRows struct {
	packed     *keyword.Packed
	generation int64
	err        error
}

// aheadPacks are being read while the index is loaded.
type aheadPacks map[vector.Space]chan packedRows

// readAhead begins to read the packs that a first search will want, beside the
// documents, which take longer. wait returns once they are read.
func (k *keywordIndex) readAhead(ctx context.Context, vectors []store.QueryVector) (ahead aheadPacks, wait func()) {
	var reading sync.WaitGroup
	if k.state.Load() == nil {
		ahead = aheadPacks{}
		for _, model := range lateModels(vectors) {
			read := make(chan packedRows, 1)
			ahead[model] = read
			reading.Go(func() { read <- k.readPacks(ctx, model) })
		}
	}
	return ahead, reading.Wait
}

// readPacks reads the packs of a model. Damaged packs are of no use: the rows are
// read.
func (k *keywordIndex) readPacks(ctx context.Context, model vector.Space) (r packedRows) {
	var (
		mark  keyword.Mark
		packs [][]byte
	)
	r.err = k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		if err := markIn(ctx, tx, &mark); err != nil {
			return err
		}
		mark.Seq = 0 // where the model is not known
		var id int64
		err := tx.Row(ctx, `SELECT id, sealed FROM vector_models WHERE name = $1 AND dim = $2`, []any{model.Model, model.Dim}, &id, &mark.Seq)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		packs, err = packsOf(ctx, tx, id)
		return err
	})
	if r.err != nil {
		return r
	}
	r.generation = mark.Generation
	r.packed, r.err = keyword.OpenPacks(model, packs, mark)
	if errors.Is(r.err, keyword.ErrPack) {
		k.log().ErrorContext(ctx, "packs of vectors dropped, they are made again of the rows", "model", model.Model, "error", r.err)
		k.badPacks.Store(true)
		k.nudge()
		r.packed, r.err = keyword.OpenPacks(model, nil, keyword.Mark{Generation: mark.Generation})
	}
	return r
}

func packsOf(ctx context.Context, tx *sqlstore.Tx, model int64) (packs [][]byte, err error) {
	err = tx.Rows(ctx, `SELECT data FROM vector_packs WHERE model = $1 ORDER BY id`, []any{model}, func(rows *sql.Rows) error {
		var data []byte
		err := rows.Scan(&data)
		packs = append(packs, data)
		return err
	})
	return packs, err
}

// sealVectors packs the vectors of each model that has at least so many rows that
// are in no pack, and drops packs that were found to be damaged.
func (k *keywordIndex) sealVectors(ctx context.Context, least int) error {
	if k.s.opts.ReadOnly {
		return nil
	}
	if k.badPacks.Swap(false) {
		if err := k.s.dropDamagedPacks(ctx); err != nil {
			k.badPacks.Store(true)
			return err
		}
	}
	models, err := k.s.packable(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		for {
			due, err := k.s.unpacked(ctx, m, least)
			if err != nil {
				return err
			}
			if !due {
				break
			}
			err = k.s.packStep(ctx, m)
			if errors.Is(err, keyword.ErrPack) {
				k.log().ErrorContext(ctx, "packs of vectors dropped, they are made again of the rows", "model", m.Model, "error", err)
				err = k.s.dropPacks(ctx, m)
			}
			if err != nil && !errors.Is(err, errOtherPacks) { // another process did it, or erased
				return fmt.Errorf("pack vectors of %s: %w", m.Model, err)
			}
		}
	}
	return nil
}

func (s *Store) packable(ctx context.Context) (models []vector.Space, err error) {
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		return tx.Rows(ctx, `SELECT name, dim FROM vector_models ORDER BY id`, nil, func(rows *sql.Rows) error {
			var m vector.Space
			err := rows.Scan(&m.Model, &m.Dim)
			models = append(models, m)
			return err
		})
	})
	return models, err
}

// unpacked reports whether at least so many rows of a model are in no pack.
func (s *Store) unpacked(ctx context.Context, m vector.Space, least int) (due bool, err error) {
	n := 0
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		return tx.Row(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM vector_models o JOIN vectors v ON v.model = o.id AND v.seq > o.sealed
			WHERE o.name = $1 AND o.dim = $2 LIMIT $3)`, []any{m.Model, m.Dim, least}, &n)
	})
	return n >= least, err
}

// packState is what packs of a model must be made for.
type packState struct {
	model, sealed, packs int64
}

func readPackState(ctx context.Context, tx *sqlstore.Tx, m vector.Space) (st packState, err error) {
	err = tx.Row(ctx, `SELECT id, sealed, (SELECT value FROM counters WHERE name = 'vector_packs') FROM vector_models
		WHERE name = $1 AND dim = $2`, []any{m.Model, m.Dim}, &st.model, &st.sealed, &st.packs)
	if errors.Is(err, sql.ErrNoRows) {
		err = errOtherPacks // its model is gone
	}
	return st, err
}

// packSlots is how many vectors a pack has that is not written anew with more of them.
const packSlots = 4096

// preparedPack is a pack that is to be written, if nobody changed packs since.
type preparedPack struct {
	packState

	until int64 // rows up to this number are in packs then
	pack  *keyword.StoredPack
}

// packStep packs the rows that follow, in two short transactions.
func (s *Store) packStep(ctx context.Context, m vector.Space) error {
	p, err := s.preparePack(ctx, m)
	if err != nil {
		return err
	}
	return s.commitPack(ctx, m, p)
}

func (s *Store) preparePack(ctx context.Context, m vector.Space) (*preparedPack, error) {
	var (
		p       preparedPack
		last    *keyword.StoredPack
		vectors []keyword.Coded
	)
	err := s.Read(ctx, func(tx *sqlstore.Tx) (err error) {
		if p.packState, err = readPackState(ctx, tx, m); err != nil {
			return err
		}
		var mark keyword.Mark
		if err := markIn(ctx, tx, &mark); err != nil {
			return err
		}
		if vectors, p.until, _, err = vectorsAfter(ctx, tx, m, p.sealed, mark.Seq); err != nil {
			return err
		}
		last, err = openPack(ctx, tx, p.model)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.pack, err = keyword.MakePack(m, last, vectors)
	return &p, err
}

func (s *Store) commitPack(ctx context.Context, m vector.Space, p *preparedPack) error {
	return s.Write(ctx, func(tx *sqlstore.Tx) error {
		now, err := readPackState(ctx, tx, m)
		if err != nil {
			return err
		}
		if now != p.packState {
			return errOtherPacks
		}
		if err := writePack(ctx, tx, p.model, p.pack); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE vector_models SET sealed = $1 WHERE id = $2`, p.until, p.model); err != nil {
			return err
		}
		return countPackChange(ctx, tx.Tx)
	})
}

// openPack gives the last pack of a model if it is to have more vectors, else nil.
func openPack(ctx context.Context, tx *sqlstore.Tx, model int64) (*keyword.StoredPack, error) {
	var p keyword.StoredPack
	err := tx.Row(ctx, `SELECT id, min_id, max_id, slots, data FROM vector_packs WHERE model = $1 ORDER BY id DESC LIMIT 1`, []any{model},
		&p.ID, &p.MinID, &p.MaxID, &p.Slots, &p.Data)
	if errors.Is(err, sql.ErrNoRows) || err == nil && p.Slots >= packSlots {
		return nil, nil
	}
	return &p, err
}

// writePack writes a pack, in its own place if it has one. There may be none.
func writePack(ctx context.Context, tx *sqlstore.Tx, model int64, p *keyword.StoredPack) (err error) {
	switch {
	case p == nil:
	case p.ID != 0:
		_, err = tx.Exec(ctx, `UPDATE vector_packs SET min_id = $1, max_id = $2, slots = $3, data = $4 WHERE id = $5`, p.MinID, p.MaxID, p.Slots, p.Data, p.ID)
	default:
		_, err = tx.Exec(ctx, `INSERT INTO vector_packs (model, min_id, max_id, slots, data) VALUES ($1, $2, $3, $4, $5)`,
			model, p.MinID, p.MaxID, p.Slots, p.Data)
	}
	return err
}

// dropPacks drops the packs of a model: its rows are packed anew.
func (s *Store) dropPacks(ctx context.Context, m vector.Space) error {
	return s.Write(ctx, func(tx *sqlstore.Tx) error {
		st, err := readPackState(ctx, tx, m)
		if errors.Is(err, errOtherPacks) {
			return nil
		}
		if err != nil {
			return err
		}
		return dropPacksOf(ctx, tx.Tx, st.model)
	})
}

func dropPacksOf(ctx context.Context, tx *sql.Tx, model int64) error {
	for _, query := range []string{
		`DELETE FROM vector_packs WHERE model = ?1`,
		`UPDATE vector_models SET sealed = 0 WHERE id = ?1`,
	} {
		if _, err := tx.ExecContext(ctx, query, model); err != nil {
			return err
		}
	}
	return countPackChange(ctx, tx)
}

// countPackChange says that packs that are being made must not be written.
func countPackChange(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'vector_packs'`)
	return err
}

// dropDamagedPacks drops the packs of models of which one cannot be used.
func (s *Store) dropDamagedPacks(ctx context.Context) error {
	models, err := s.packable(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		if r := s.keyword.readPacks(ctx, m); r.err != nil {
			return r.err
		}
		if s.keyword.badPacks.Swap(false) {
			if err := s.dropPacks(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseVectors takes memories out of packs inside the transaction that erases
// them. One that cannot be read might hold anything: all of its model go. The
// packs' counter goes on even where none has them: one that is being made somewhere
// may have them, and must not be written after this.
func (s *Store) eraseVectors(ctx context.Context, tx *sql.Tx, ids []int64) error {
	packs, err := packsWith(ctx, tx, ids)
	if err != nil {
		return err
	}
	for i := range packs {
		if err := s.eraseFromPack(ctx, tx, packs[i].model, packs[i].id, ids); err != nil {
			return err
		}
	}
	return countPackChange(ctx, tx)
}

type packNumber struct{ model, id int64 }

// packsWith names the packs that may have some of the memories.
func packsWith(ctx context.Context, tx *sql.Tx, ids []int64) (out []packNumber, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT model, id, min_id, max_id FROM vector_packs`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var (
			n           packNumber
			least, most int64
		)
		if err := rows.Scan(&n.model, &n.id, &least, &most); err != nil {
			return nil, err
		}
		for _, id := range ids {
			if id >= least && id <= most {
				out = append(out, n)
				break
			}
		}
	}
	return out, rows.Err()
}

func (s *Store) eraseFromPack(ctx context.Context, tx *sql.Tx, model, id int64, erased []int64) error {
	var (
		p     = keyword.StoredPack{ID: id}
		space vector.Space
	)
	err := tx.QueryRowContext(ctx, `SELECT p.data, o.name, o.dim FROM vector_packs p JOIN vector_models o ON o.id = p.model WHERE p.id = ?1`, id).
		Scan(&p.Data, &space.Model, &space.Dim)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it went with another one of its model
	}
	if err != nil {
		return err
	}
	rest, err := keyword.PackWithout(&p, space, erased)
	switch {
	case errors.Is(err, keyword.ErrPack):
		s.keyword.log().ErrorContext(ctx, "packs of vectors dropped, they are made again of the rows", "model", space.Model, "error", err)
		return dropPacksOf(ctx, tx, model)
	case err != nil:
		return err
	case rest == nil:
		_, err = tx.ExecContext(ctx, `DELETE FROM vector_packs WHERE id = ?1`, id)
	case rest != &p:
		_, err = tx.ExecContext(ctx, `UPDATE vector_packs SET min_id = ?1, max_id = ?2, slots = ?3, data = ?4 WHERE id = ?5`,
			rest.MinID, rest.MaxID, rest.Slots, rest.Data, id)
	}
	return err
}

// readSigns notes the signs of the vectors that a memory has.
func (t *traces) readSigns(ctx context.Context, tx *sql.Tx, id int64) (err error) {
	rows, err := tx.QueryContext(ctx, `SELECT o.dim, v.codes FROM vectors v JOIN vector_models o ON o.id = v.model WHERE v.memory_id = ?1`, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var (
			dim   int
			codes sql.RawBytes
		)
		if err := rows.Scan(&dim, &codes); err != nil {
			return err
		}
		for ; dim > 0 && len(codes) >= dim; codes = codes[dim:] {
			signs := string(vector.Signs(codes[:dim]))
			t.rows.add(signs, 0, len(signs))
		}
	}
	return rows.Err()
}

// checkPacks compares the packs with the rows that they were made of, and with
// repair makes them anew where they differ. It says nothing where there are none.
func (s *Store) checkPacks(ctx context.Context, models []store.VectorModel, repair bool) (store.Finding, error) {
	for _, m := range models {
		space := vector.Space{Model: m.Name, Dim: m.Dim}
		problem, err := s.comparePacks(ctx, space)
		if err != nil {
			return store.Finding{}, err
		}
		if problem == "" {
			continue
		}
		if !repair {
			return one("vectors", false, fixRepair, "the packs of vectors of %s %s", m.Name, problem)[0], nil
		}
		err = errors.Join(s.dropPacks(ctx, space), s.keyword.sealVectors(ctx, 1))
		return one("vectors", true, "", "the packs of vectors of %s were made anew (they %s)", m.Name, problem)[0], err
	}
	return store.Finding{OK: true}, nil
}

// comparePacks goes through all rows of a model that are packed. The problem is ""
// when the packs agree with them.
func (s *Store) comparePacks(ctx context.Context, m vector.Space) (problem string, err error) {
	x := keyword.New(keywordRules())
	lacks, have := 0, 0
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		st, err := readPackState(ctx, tx, m)
		if errors.Is(err, errOtherPacks) {
			return nil
		}
		if err != nil {
			return err
		}
		packs, err := packsOf(ctx, tx, st.model)
		if err != nil {
			return err
		}
		packed, err := keyword.OpenPacks(m, packs, keyword.Mark{})
		if errors.Is(err, keyword.ErrPack) {
			problem = "are damaged"
			return nil
		}
		if err != nil {
			return err
		}
		x.LoadVectors(packed)
		return tx.Rows(ctx, `SELECT id, memory_id, version, checksum, codes FROM vectors WHERE model = $1 AND seq <= $2`, []any{st.model, st.sealed},
			func(rows *sql.Rows) error {
				var (
					c        keyword.Coded
					checksum int64
					codes    sql.RawBytes
				)
				if err := rows.Scan(&c.Row.Row, &c.ID, &c.Version, &checksum, &codes); err != nil || !soundCodes(codes, checksum, m.Dim) {
					return err
				}
				have++
				if c.Codes = codes; !x.Vectors(m, &c) {
					lacks++
				}
				return nil
			})
	})
	if problem == "" && (lacks > 0 || x.Texts(m) != have) {
		problem = fmt.Sprintf("lack %d texts or have other signs for them, and have %d where %d are wanted", lacks, x.Texts(m), have)
	}
	return problem, err
}
