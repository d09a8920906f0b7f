package text

import (
	"strings"
	"sync"
)

// functionWords are the words of each language that carry grammar and no topic:
// articles, pronouns, prepositions, conjunctions, auxiliaries, question words.
// They tell the language of a text, and in a query count for nothing alone.
var functionWords = [numLanguages]string{
	english: `a an the this that these those i me my mine myself you your yours yourself he him his himself she her hers herself
it its itself we us our ours ourselves they them their theirs themselves one ones
am is are was were be been being isn aren wasn weren ain do does did doing done don doesn didn have has had having haven hasn hadn
can could will would shall should may might must cannot couldn wouldn shouldn won ought let lets
and or not nor but if then else so because as until while although though unless whether than
of at by for with about against between into through during before after above below to from up down in out on off over under
upon within without across along around near toward towards onto per via
again once here there when where why how what which who whom whose whatever whichever whoever
all any both each few more most other others another some such no only own same too very just also ever even still already yet
please thanks im ive id youre youve theyre were hes shes thats whats wheres hows dont doesnt didnt cant wont isnt arent wasnt
there's much many lot rather quite else however therefore thus hence maybe perhaps`,
	spanish: `el la los las un una unos unas lo al del de a ante bajo con contra desde durante en entre hacia hasta mediante para por
según sin sobre tras y e o u ni que pero sino aunque porque pues si como cuando donde quien quienes cual cuales cuyo cuya
qué cómo cuándo dónde quién cuál cuánto cuánta cuántos cuántas por qué
yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus nuestro nuestra
nuestros nuestras mío mía tuyo suyo este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
es son era eran fue fueron ser sido siendo soy eres somos está están estaba estaban estar estoy he ha han había habían haber hay
hubo tiene tienen tenía hace hizo hacer puede pueden podía no sí ya muy más menos también tampoco tan tanto todo toda todos todas
otro otra otros otras mismo misma algo alguien algún alguna algunos algunas nada nadie ningún ninguna cada poco mucho muchos muchas`,
	german: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
ich mich mir mein meine meinen meinem meiner du dich dir dein deine er ihn ihm sein seine seinen seinem seiner sie ihr ihre ihren
ihrem ihrer es wir uns unser unsere unseren euch euer eure man sich dieser diese dieses diesen diesem jener jene jenes
und oder aber denn sondern doch wenn weil dass daß ob als wie während nachdem bevor damit obwohl sowie
in im an am auf aus bei beim mit nach von vom zu zum zur für über unter vor hinter neben zwischen durch gegen ohne um bis seit ab ins
ist sind war waren bin bist seid wäre wären gewesen sein hat haben hatte hatten habe hast habt hätte wird werden wurde wurden worden
würde kann können konnte könnte muss müssen musste soll sollen sollte darf dürfen will wollen wollte mag möchte
nicht nichts kein nie auch nur noch schon sehr so dann da hier dort mehr etwas alle alles allem allen jede jeder jedes jeden
was wer wen wem wessen wo wohin woher wann warum wieso weshalb welche welcher welches welchen welchem wieviel
also immer wieder beim dabei dazu davon daran darauf darin`,
	french: `le la les l un une des du de d au aux à en dans par pour sur sous avec sans chez contre entre vers depuis pendant avant
après dès jusque et ou où mais donc or ni car que qu qui quoi dont lequel laquelle lesquels lesquelles quel quelle quels quelles
comment quand pourquoi combien est-ce si comme parce puisque lorsque
je j me m moi tu te t toi il elle on nous vous ils elles se s soi lui leur leurs eux y
mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces c ça cela ceci celui celle ceux celles
est sont était étaient être été étant suis es sommes êtes fut furent sera seront a ai as avons avez ont avait avaient avoir eu
fait font faire peut peuvent pouvait doit doivent va vont n ne pas plus moins très aussi bien même tout toute tous toutes
aucun aucune chaque quelque quelques plusieurs autre autres rien jamais toujours encore déjà ici là alors ainsi`,
	portuguese: `o a os as um uma uns umas de do da dos das em no na nos nas num numa ao aos à às por pelo pela pelos pelas para pra
com sem sob sobre entre até desde contra e ou mas nem que se porque pois como quando onde quem qual quais quanto quanta quantos
quantas cujo cuja por quê
eu tu ele ela nós vós eles elas você vocês me te lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas
este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas deste desta disso neste nesta nisso
é são era eram foi foram ser sido sendo sou somos está estão estava estavam estar estou ter tem têm tinha tinham há havia haver
faz fez fazer pode podem podia vai vão não sim já muito mais menos também tão tanto tudo todo toda todos todas
outro outra outros outras mesmo mesma algo alguém algum alguma alguns algumas nada ninguém nenhum nenhuma cada pouco ainda só`,
	italian: `il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle al allo alla ai agli alle
dal dallo dalla dai dagli dalle nel nello nella nei negli nelle sul sullo sulla sui sugli sulle e ed o ma se che perché poiché
come quando dove chi cosa quale quali quanto quanta quanti quante cui
io tu lui lei noi voi loro mi ti ci vi si me te ne mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro
questo questa questi queste quello quella quelli quelle ciò
è sono era erano fu furono essere stato stata stati sei siamo siete sarà ho hai ha abbiamo avete hanno aveva avevano avere
fa fatto fare può possono poteva deve devono va non sì più meno molto anche tanto tutto tutta tutti tutte altro altra altri altre
stesso stessa qualcosa qualcuno alcuni alcune niente nessuno ogni poco ancora già sempre mai qui quindi così`,
	dutch: `de het een der des den dit dat deze die ik mij me mijn jij je jou jouw u uw hij hem zijn zij ze haar wij we ons onze jullie
hen hun zich men er en of maar want dus als dan toen omdat hoewel terwijl zodat indien
in op aan van voor met bij uit naar over onder door tegen tussen zonder om tot te ter ten sinds tijdens na achter binnen
is was waren ben bent zijn geweest wordt worden werd werden geworden heeft hebben had hadden heb hebt zal zullen zou zouden
kan kunnen kon konden moet moeten moest mag mogen wil willen wilde niet geen niets nooit ook nog al wel zeer heel meer minder
veel weinig alle alles elk elke ieder iedere andere ander zelf zo hier daar nu toch altijd
wat wie waar wanneer waarom hoe welke welk hoeveel waarheen`,
	russian: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня еще ещё нет
о из ему теперь когда даже ну ли если уже или ни быть был была были него до вас нибудь вам ведь там потом себя ничего ей
они тут где есть надо ней для мы тебя их чем сам чтоб чтобы без будто чего раз тоже себе под будет ж кто этот эта это эти
того потому этого какой какая какое какие который которая которые совсем ним здесь этом один почти мой моя мое моё мои тем
нее неё сейчас куда зачем почему сколько всех можно при об другой хоть после над больше тот через нас про всего них каких
много разве эту этой перед чуть тому нельзя такой им более всегда конечно всю между откуда чей чья`,
	swedish: `och det att i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du henne då sin nu har
inte hans honom skulle hennes där min man ej vid kunde något från ut när efter upp vi dem vara vad över än dig kan sina här ha
mot alla under någon eller allt mycket sedan ju denna själv detta åt utan varit hur ingen mitt ni bli blev oss din dessa några
deras blir mina samma vilken er sådan vår blivit dess inom mellan sådant varför varje vilka ditt vem vilket sitt sådana vart
dina vars vårt våra ert era vilkas ska skall också blir finns gör`,
	danish: `og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da
fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget ville jo deres efter
ned skulle denne end dette mit også under have dig anden hende mine alt meget sit sine vor mod disse hvis din nogle hos blive
mange ad bliver hendes været thi jer sådan hvorfor hvornår hvem hvilken hvilket hvilke hvordan`,
	norwegian: `og i jeg det at en et den til er som på de med han av ikke ikkje der så var meg seg men ett har om vi min mitt ha hadde
hun nå over da ved fra du ut sin dem oss opp man kan hans hvor eller hva skal selv sjøl her alle vil bli ble blei blitt kunne
inn når være kom noen noe ville dere som deres kun ja etter ned skulle denne for deg si sine sitt mot å meget hvorfor dette
disse uten hvordan ingen din ditt blir samme hvilken hvilke sånn inni mellom vår hver hvem vors hvis både bare enn fordi før
mange også slik vært være begge siden`,
	finnish: `olla olen olet on olemme olette ovat ole oli olisi minä minun minua sinä sinun hän hänen me meidän te teidän he heidän
tämä tämän tätä tässä tuo tuon se sen sitä siinä nämä nuo ne niiden niitä kuka kenen mikä minkä mitä missä mistä mihin milloin
miksi miten että ja jos koska kuin mutta niin sekä sillä tai vaan vai vaikka kanssa mukaan noin yli kun niin nyt itse ei en et
emme ette eivät joka jonka jotka myös vielä jo vain`,
	hungarian: `a az és hogy nem is egy ez ezt azt ezek azok de ha csak már még meg mint vagy mert volt van vannak lesz lett lenne
ki mi mit hol mikor miért hogyan melyik én te ő mi ti ők engem téged őt nekem neked neki minket titeket őket ami aki amely
akik amelyek majd most nagyon minden sem itt ott úgy így olyan ilyen után előtt között alatt által`,
	romanian: `și si în la cu de pe din nu un o este sunt era erau că ca să se mai dar sau pentru prin după fără între despre al ale
ai lui ei lor mea meu tău sa său noi voi el ea eu tu nostru acest această acestea aceste acel acea ce cine care când unde cum
cât dece fi fost fiind are am ai au avea va vor foarte tot toate toți numai doar încă deja aici acolo`,
	turkish: `ve bir bu şu da de ile için mi mı mu mü ne nasıl neden niçin nerede kim hangi kaç ben sen o biz siz onlar benim senin onun
bizim sizin beni seni onu bana sana ona çok daha en gibi kadar ama fakat ancak veya ya ki ise değil var yok olan olarak oldu
olur olduğu her hiç bazı şey sonra önce`,
	arabic: `في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم أنا أنت نحن كان كانت يكون أن إن لا لم لن ما ماذا متى أين
كيف لماذا هل كم أي و أو ثم بل لكن قد كل بعض غير بين بعد قبل عند حتى منذ`,
}

// runStops are the words of unspaced scripts that count for nothing alone.
const runStops = `什么 甚么 怎么 怎样 为什么 为何 什麼 怎麼 為什麼 哪里 哪裡 哪儿 哪个 哪些 哪 谁 誰 多少 几 吗 嗎 呢 吧 啊 呀 嘛 的 了 是 在 和 与 與 及 或 而 但 也 都 就 还 還 很 把 被 让 给
我 你 您 他 她 它 我们 你们 他们 她们 它们 我們 你們 他們 这 这个 这些 这样 这里 那 那个 那些 那样 那里 這 這個 這些 個 个 有 没 没有 沒有 不 不是 是否 是不是 有没有 如何 何时 何 对 从 到 向 因为 所以 如果 可以 一个 请 请问 关于 时候
これ それ あれ この その あの どの どれ どこ だれ 誰 なに 何 なん いつ なぜ どう どうして どうやって どのように どんな いくつ いくら です ます でした ました ません でしょう した して する しま しょ いる ある ない なる など から まで より ので のに けど とき こと もの ため よう という って では には とは へは でも ても たい てい れる られ ている ていた てる ですか ますか ましたか か
무엇 뭐 언제 어디 어디서 누가 누구 왜 어떻게 어떤 어느 얼마 몇 이것 그것 저것 우리 나는 너는 입니다 습니다 합니다 했습니다 인가요 나요 까요 은 는 이 가 을 를 의 에 에서 으로 로 와 과 도 만 입니까`

var runStopSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(runStops) {
		set[w] = true
	}
	return set
})

// functionMasks maps a folded function word to the languages that have it.
var functionMasks = sync.OnceValue(func() map[string]languageSet {
	masks := map[string]languageSet{}
	for lang, words := range functionWords {
		for _, w := range strings.Fields(words) {
			masks[Fold(w)] |= 1 << lang
		}
	}
	return masks
})
