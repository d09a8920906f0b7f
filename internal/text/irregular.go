package text

import (
	"strings"
	"sync"
)

// irregularForms lists English words whose forms no rule of suffixes brings
// together: a base, then its forms. Forms that are mostly another word are left
// out (saw, bore, ground, wound, rose, fell, bound, leaves, lives).
const irregularForms = `
arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bend bent|bite bit bitten
bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen
cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten
fall fallen|feed fed|feel felt|fight fought|find found|flee fled|fling flung|fly flew flown|forbid forbade forbidden
foresee foresaw foreseen|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given
go went gone|grow grew grown|hang hung|have had has|hear heard|hide hid hidden|hold held|keep kept|kneel knelt
know knew known|lay laid|lead led|leap leapt|learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met
mislead misled|mistake mistook mistaken|misunderstand misunderstood|oversee oversaw overseen|overcome overcame
override overrode overridden|overtake overtook overtaken|overwrite overwrote overwritten|pay paid|prove proven|rebuild rebuilt
rerun reran|resend resent|rethink rethought|rewrite rewrote rewritten|ride rode ridden|ring rang rung|rise risen|run ran|say said
see seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|sneak snuck|speak spoke spoken|speed sped|spell spelt
spend spent|spill spilt|spin spun|spit spat|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|stink stank stunk|strike struck stricken|strive strove|swear swore sworn|sweep swept|swell swollen|swim swam swum
swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|tread trod|undergo underwent undergone
understand understood|undertake undertook undertaken|undo undid undone|unwind unwound|uphold upheld|wake woke woken|wear wore worn
weave wove woven|weep wept|win won|withdraw withdrew withdrawn|withhold withheld|wring wrung|write wrote written
child children|man men|woman women|person people|mouse mice|goose geese|tooth teeth|foot feet|ox oxen|louse lice
knife knives|wife wives|half halves|shelf shelves|wolf wolves|thief thieves|loaf loaves|calf calves|scarf scarves
self selves|index indices indexes|vertex vertices|matrix matrices|vortex vortices|appendix appendices|axis axes|analysis analyses
basis bases|crisis crises|hypothesis hypotheses|thesis theses|diagnosis diagnoses|synthesis syntheses|parenthesis parentheses
criterion criteria|phenomenon phenomena|bacterium bacteria|curriculum curricula|memorandum memoranda
fungus fungi|nucleus nuclei|stimulus stimuli|cactus cacti|alumnus alumni|radius radii|locus loci|larva larvae|alga algae|vertebra vertebrae
schema schemata|stigma stigmata|genus genera|corpus corpora|penny pence|sheaf sheaves|hoof hooves
good better best|bad worse worst|big bigger biggest`

// englishIrregulars maps a form to its base.
var englishIrregulars = sync.OnceValue(func() map[string]string {
	bases := map[string]string{}
	for line := range strings.Lines(irregularForms) {
		for entry := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			forms := strings.Fields(entry)
			if len(forms) == 0 {
				continue
			}
			for _, form := range forms[1:] {
				bases[form] = forms[0]
			}
		}
	}
	return bases
})

// spellingVariants lists English stems that are two spellings of one word, the
// British one first.
const spellingVariants = `
favourit favorit|neighbourhood neighborhood|colourful color|centr center|metr meter|litr liter|theatr theater
fibr fiber|licenc licens|defenc defens|offenc offens|catalogu catalog|dialogu dialog|grey gray|programm program|jewelleri jewelri
cancell cancel|travell travel|modell model|labell label|signall signal|levell level|fuell fuel|totall total
aeroplan airplan|pyjama pajama|mum mom|math maths|oestrogen estrogen|anaemia anemia|leukaemia leukemia|paediatr pediatr
haemoglobin hemoglobin|foetus fetus|foetal fetal|diarrhoea diarrhea|artefact artifact|judgement judgment|sceptic skeptic
storey story|aluminium aluminum|mould mold|cosi cozi|moustach mustach|plough plow`

var stemVariants = sync.OnceValue(func() map[string]string {
	variants := map[string]string{}
	for line := range strings.Lines(spellingVariants) {
		for pair := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			if from, to, ok := strings.Cut(pair, " "); ok {
				variants[from] = to
			}
		}
	}
	return variants
})

// canonicalStem brings British and American spellings of an English stem together.
func canonicalStem(stem string) string {
	if v, ok := stemVariants()[stem]; ok {
		return v
	}
	if n := len(stem); n >= 6 && strings.HasSuffix(stem, "our") {
		return stem[:n-3] + "or"
	}
	return stem
}

// britishEndings are the endings in which British English has s for z.
var britishEndings = []string{"ise", "ised", "ises", "iser", "isers", "ising", "isation", "isations", "yse", "ysed", "yser", "ysing"}

// americanEnding writes organise as organize, before the stemmer, which knows only
// the one. Words that are spelled with s everywhere may be changed too, as long as
// all their forms are; those in -cise, -vise and -wise and after vowels are not.
func americanEnding(word string) string {
	for _, e := range britishEndings {
		base, ok := strings.CutSuffix(word, e)
		if ok && len(base) >= 3 && strings.IndexByte("aeioucvw", base[len(base)-1]) < 0 {
			return base + e[:1] + "z" + e[2:]
		}
	}
	return word
}

// portugueseSingular writes reuniões as reunião, which the stemmer keeps apart.
func portugueseSingular(word string) string {
	for _, e := range []string{"ões", "ães", "ãos"} {
		if base, ok := strings.CutSuffix(word, e); ok && len(base) >= 2 {
			return base + "ão"
		}
	}
	return word
}
