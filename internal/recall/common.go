package recall

import (
	"strings"
	"sync"

	"engram/internal/text"
)

// commonWords are words of everyday speech for which there are many others:
// that a memory does not say "pick" means little when it says "chose". A
// missing common word weighs less than a missing rare one. Base forms only;
// endings are taken off before they are looked up.
const commonWords = `
able about accept access account across act action active actual add address afraid age ago agree air allow almost alone already
amount animal answer anybody anyone anything appear apply approach area argue arm arrange arrive ask attack attempt attend
available average avoid away baby back bad bag balance bank bar base basic be bear beat beautiful become bed before begin
behind believe belong below benefit best better between big bill bit black blood blow blue board body book born both bottom box
boy brand break bright bring broad brother brown build building burn business busy buy call can car card care carry case catch
cause cell center centre certain chance change character charge check child choice choose church circle city claim class clean
clear close clothes cold collect color colour come comfortable common community company compare complete concern condition
connect consider contact contain continue control conversation cook cool copy corner correct cost could count country couple
course cover create cross cry cup current cut daily damage dance danger dark data date daughter day dead deal dear death decide
decision deep degree depend describe description design detail determine develop die difference different difficult dinner
direct discover discuss discussion distance divide doctor document door double down draw dream dress drink drive drop dry due
duty early earth easy eat edge effect effort eight either else empty end enjoy enough enter equal error especially even evening
event ever exact example except excite exist expect expensive experience explain express extra eye face fact fail fall false
family famous far fast father fear feature feel few field fight figure file fill final find fine finger finish fire firm first
fit five fix flat floor fly follow food foot force foreign forget form format former forward four free fresh friend front full
fun function funny future gain game garden general get gift girl give glad go goal gold good great green ground group grow guess
guy habit hair half hand handle hang happen happy hard hate head health hear heart heat heavy height help hide high history hit
hobby hold hole holiday home hope hot hour house huge human hundred hurt husband idea imagine important improve include increase
indeed inform information inside instead instrument interest invite involve issue item job join keep key kid kill kind kitchen
know lack lady land language large last late laugh law lay lead learn leave left leg less let letter level lie life lift light
like limit line list listen little live local long look lose loss lot loud love low luck machine main make man manage many
mark market marry matter maximum may meal mean measure meet meeting member mention message method middle might mile mind minimum
minute miss mistake mix modern moment money month moon morning most mother mouth move movie much music name narrow nation
natural nature near necessary need never new news next nice night nine nobody noise none normal north note nothing notice
number object occur offer office often oil old one only open opinion opportunity option order original outside own page pain
paint pair paper parent park part participate particular partner party pass past path pattern pause pay peace people perfect
perform period person personal phone photo pick picture piece place plan plant play please plenty point policy poor popular
position possible power practice prefer preference prepare present press pretty prevent price private prize probable problem
process produce product program progress promise proper protect prove provide public pull purpose push put quality quarter
question quick quiet quit quite rain raise range rate reach read ready real realize reason receive recent recommend record red
reduce relate relation relationship relax remain remember remove repair repeat replace reply report require respond response
rest result return rich ride right ring rise risk road role roll room round rule run rush sad safe same save say scene schedule
school sea season seat second section see seem sell send sense separate series serious serve service set seven several shake
shape share sharp shoot shop short should shoulder show shut sick side sign similar simple since sing single sister sit
situation six size skill skin sleep slip slow small smell smile smoke so social soft some someone something sometimes son song
soon sorry sort sound south space speak special specific speed spend sport spring stage stand standard star start state stay
step stick still stone stop store story straight strange street strength stress strong study stuff style subject succeed success
such sudden suffer suggest suit summer sun supply support suppose sure surprise swim switch system table take talk taste teach
teacher team tell ten term test thank thing think third thirty thousand three throw tie time tiny tired title today together
tomorrow tonight tool tooth top topic total touch tough toward town track trade train travel tree trip trouble true trust try
turn two type understand unique unit until up update upset use usual value various version very view visit voice wait wake walk
wall want war warm wash waste watch water way weak wear weather week weekend weigh weight welcome well west wet whole wide wife
wild will win wind window winter wish within without woman wonder wood word work world worry worth wrong yard year yellow yes
yesterday yet young
`

var commonSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(commonWords) {
		set[w] = true
	}
	return set
})

func isCommon(w *Word) bool {
	set := commonSet()
	if set[w.Surface] {
		return true
	}
	for _, f := range w.Forms {
		if set[f] || set[f+"e"] || set[strings.TrimSuffix(f, "i")+"y"] {
			return true
		}
	}
	return false
}

// memoryWords say no more than that memories are asked for.
var memoryWords = wordSetOf(`note notes memory memories entry entries record records recorded saved save thing things stuff anything
everything something happen happened happens do did done work worked working list show tell give say said recall remember new news
activity activities log all notiz notizen notizen eintrag einträge passiert gemacht notas nota recuerdos pasó hicimos hice
souvenirs fait passé 笔记 记录 记忆 发生 过 做 干 事 事情 所有 全部 工作 咱们 大家 私 私たち の は を に が も し した しました やった やりました あった
ありました 起きた 起きました 記録 メモ 作業 仕事 出来事 했지 했나 했나요 했어 했어요 했니 했는지 한 일 것 무슨 뭘 있었지 있었나 있었나요 있었어 기록 메모 모든 작업`)

// orderWords say in which order they are asked for.
var orderWords = wordSetOf(`latest newest recent most recently last first oldest earliest neueste letzte letzten erste último última
últimos primero primera dernier dernière derniers premier première 最新 最近 最早
目前 当前 现在 最后一次 上次 上一次 最初 第一次 首次 最古 初めて 現在の 前回 最後に 직전 최신 최근 마지막 처음`)

func wordSetOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// askingWords say what kind of thing a question asks for.
var askingWords = map[string]text.Traits{
	"when": text.HasTime, "date": text.HasTime, "where": text.HasPlace, "city": text.HasPlace, "country": text.HasPlace,
	"who": text.HasPerson, "whom": text.HasPerson, "whose": text.HasPerson, "cuando": text.HasTime, "donde": text.HasPlace,
	"quien": text.HasPerson, "cuantos": text.HasNumber, "cuantas": text.HasNumber, "wann": text.HasTime, "wo": text.HasPlace,
	"wer": text.HasPerson, "wieviele": text.HasNumber, "quand": text.HasTime,
	"combien": text.HasNumber,
}

// countWords ask for a number behind "how".
var countWords = wordSetOf("many much long old often far big tall")
