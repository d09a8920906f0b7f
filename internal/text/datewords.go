package text

import (
	"strings"
	"sync"
)

// role is what a word may do in a phrase of time. A word may have several.
type role struct {
	kind roleKind
	val  int
}

type roleKind uint8

const (
	unitRole    roleKind = iota // val: timeUnit
	relRole                     // before or after its unit: last -1, this 0, next 1
	rollingRole                 // "past", "最近": up to now
	dayRole                     // val: days from today
	relUnitRole                 // one word that is a relative unit: val is unit*16 + 8 + n
	weekdayRole                 // val: time.Weekday
	monthRole                   // val: 1 … 12
	looseMonth                  // a month that is a word or a name too
	shortMonth                  // an abbreviated month
	seasonRole                  // val: spring 0 … winter 3
	numberRole                  // a number in words
	fewRole                     // "few", "couple"
	ordinalRole                 // first … fourth
	quarterRole                 // Q1
	halfRole                    // H1
	agoAfter                    // "ago": after number and unit
	laterAfter                  // "from now", 后: after number and unit
	laterBefore                 // "in", "dans": before number and unit
	agoBefore                   // "vor", "hace": before number and unit
	inRole                      // "in", "on", "during"
	wideRole                    // "on", "for", "of": say less of what follows
	overRole                    // "in", "over", "within" as in "in the last year"
	sinceRole
	beforeRole
	afterRole
	untilRole
	betweenRole
	fromRole
	toRole
	andRole
	ofRole
	articleRole
	onwardRole
	everyRole
	qualifierRole // "early", "end": of what follows
	yearWordRole
	sincePost  // 以来 after its date; val 1: only what comes after it
	beforePost // 以前; val 1: with the date itself
	notWeekday // "Black" Friday
)

func relUnit(u timeUnit, n int) int { return int(u)*16 + 8 + n }

// dateEntry gives the words of one role, parted by commas, written folded.
type dateEntry struct {
	role  role
	words string
}

var dateEntries = []dateEntry{
	{role{dayRole, -3}, "大前天,さきおととい,그끄저께"},
	{role{dayRole, -2}, "day before yesterday,the day before yesterday,anteayer,antier,antes de ayer,vorgestern,avant hier,anteontem,altroieri,l altro ieri,altro ieri,eergisteren,позавчера,i forrgar,forrgar,前天,一昨日,おととい,그저께,그제"},
	{role{dayRole, -1}, "yesterday,last night,letzte nacht,la nuit derniere,cette nuit,anoche,ayer,anoche,gestern,hier,ontem,ieri,gisteren,gisteravond,вчера,igar,i gar,昨天,昨日,昨晚,昨夜,きのう,어제,어젯밤"},
	{role{dayRole, 0}, "today,tonight,this morning,this afternoon,this evening,hoy,esta manana,esta tarde,esta noche,heute,aujourd hui,aujourdhui,ce matin,cet apres midi,ce soir,hoje,esta manha,esta noite,oggi,stamattina,stasera,stanotte,vandaag,vanmorgen,vanochtend,vanmiddag,vanavond,сегодня,idag,i dag,今天,今日,今早,今晚,今晨,本日,きょう,오늘"},
	{role{dayRole, 1}, "tomorrow,manana,morgen,demain,amanha,domani,завтра,imorgon,i morgon,明天,明日,明晚,あした,내일"},
	{role{dayRole, 2}, "day after tomorrow,the day after tomorrow,pasado manana,ubermorgen,uebermorgen,apres demain,depois de amanha,dopodomani,overmorgen,послезавтра,i overmorgon,overmorgon,后天,後天,明後日,あさって,모레"},
	{role{dayRole, 3}, "大后天,大後天,しあさって"},

	{role{unitRole, int(hourUnit)}, "hour,hours,hora,horas,stunde,stunden,heure,heures,ora,ore,uur,uren,час,часа,часов,小时,小時,时间,時間,시간"},
	{role{unitRole, int(dayUnit)}, "day,days,dia,dias,tag,tage,tagen,tages,jour,jours,giorno,giorni,dag,dagen,dagar,день,дня,дней,дни,天,日,日間,일,일간"},
	{role{unitRole, int(weekUnit)}, "week,weeks,semana,semanas,woche,wochen,semaine,semaines,settimana,settimane,weken,неделя,неделе,недели,неделю,недель,vecka,veckan,veckor,周,週,周间,週間,星期,个星期,個星期,礼拜,个礼拜,주,주일,주간"},
	{role{unitRole, int(weekendUnit)}, "weekend,weekends,week end,fin de semana,wochenende,fim de semana,fine settimana,выходные,周末,週末,주말"},
	{role{unitRole, int(fortnightUnit)}, "fortnight,fortnights,quincena,quincenas,quinzaine"},
	{role{unitRole, int(monthUnit)}, "month,months,mes,meses,monat,monate,monaten,monats,mois,mese,mesi,maand,maanden,месяц,месяца,месяцев,месяце,manad,manaden,manader,个月,個月,か月,ヶ月,カ月,ヵ月,ケ月,개월,달"},
	{role{unitRole, int(quarterUnit)}, "quarter,quarters,trimestre,trimestres,quartal,quartale,quartals,kwartaal,квартал,квартале,季度,个季度,個季度,四半期,분기"},
	{role{unitRole, int(halfUnit)}, "half,semester,semestre,halbjahr"},
	{role{unitRole, int(yearUnit)}, "year,years,ano,anos,jahr,jahre,jahren,jahres,an,ans,annee,annees,anno,anni,jaar,jaren,год,года,году,лет,ar,aret,年,年間,년,년간"},
	{role{yearWordRole, 0}, "year,ano,jahr,jahre,annee,anno,jaar,год,году"},

	{role{relRole, -1}, "last,previous,prior,pasado,pasada,ultimo,ultima,ultimos,ultimas,anterior,letzte,letzten,letzter,letztes,letztem,vergangene,vergangenen,vergangenes,vergangener,vorige,vorigen,voriges,vorigem,dernier,derniere,derniers,dernieres,passe,passee,precedent,precedente,passado,passada,passados,passadas,scorso,scorsa,scorsi,scorse,ultimi,ultime,passato,passata,afgelopen,laatste,прошлый,прошлая,прошлой,прошлом,прошлую,прошлого,последний,последние,последних,forra,senaste,지난,저번"},
	{role{relRole, 0}, "this,current,este,esta,diese,dieser,diesen,dieses,diesem,ce,cet,cette,deste,desta,neste,nesta,questo,questa,quest,deze,dit,этот,эта,этой,этом,эту,denna,denne,detta,이번"},
	{role{relRole, 1}, "next,coming,upcoming,proximo,proxima,proximos,proximas,que viene,nachste,nachsten,nachster,nachstes,nachstem,naechste,naechsten,naechster,kommende,kommenden,kommendes,prochain,prochaine,prochains,prochaines,que vem,prossimo,prossima,prossimi,prossime,volgende,komende,следующий,следующая,следующей,следующем,nasta,다음"},
	{role{rollingRole, -1}, "past,最近,过去,過去,近,直近,ここ,최근,과거"},

	{role{relUnitRole, relUnit(weekUnit, -2)}, "上上周,上上週,上上个星期,先々週,지지난주"},
	{role{relUnitRole, relUnit(weekUnit, -1)}, "上周,上週,上星期,上个星期,上個星期,上礼拜,上个礼拜,上一周,先週,지난주,저번주"},
	{role{relUnitRole, relUnit(weekUnit, 0)}, "本周,本週,这周,這週,这个星期,這個星期,这星期,这一周,这礼拜,这个礼拜,今週,이번주,금주"},
	{role{relUnitRole, relUnit(weekUnit, 1)}, "下周,下週,下星期,下个星期,下個星期,下礼拜,下个礼拜,来週,다음주"},
	{role{relUnitRole, relUnit(weekendUnit, -1)}, "上周末,上週末,上个周末,上個週末,先週末,지난주말"},
	{role{relUnitRole, relUnit(weekendUnit, 0)}, "本周末,这周末,这个周末,這個週末,今週末,이번주말"},
	{role{relUnitRole, relUnit(weekendUnit, 1)}, "下周末,下週末,下个周末,来週末,다음주말"},
	{role{relUnitRole, relUnit(monthUnit, -2)}, "上上个月,上上個月,先々月,지지난달"},
	{role{relUnitRole, relUnit(monthUnit, -1)}, "上个月,上個月,上月,先月,지난달,저번달"},
	{role{relUnitRole, relUnit(monthUnit, 0)}, "本月,这个月,這個月,这月,当月,今月,이번달"},
	{role{relUnitRole, relUnit(monthUnit, 1)}, "下个月,下個月,下月,来月,다음달"},
	{role{relUnitRole, relUnit(quarterUnit, -1)}, "上季度,上个季度,上個季度,前四半期,지난분기"},
	{role{relUnitRole, relUnit(quarterUnit, 0)}, "本季度,这个季度,這個季度,今四半期,이번분기"},
	{role{relUnitRole, relUnit(quarterUnit, 1)}, "下季度,下个季度,来四半期,다음분기"},
	{role{relUnitRole, relUnit(yearUnit, -2)}, "前年,一昨年,おととし,재작년"},
	{role{relUnitRole, relUnit(yearUnit, -1)}, "去年,昨年,작년,지난해"},
	{role{relUnitRole, relUnit(yearUnit, 0)}, "今年,本年,올해,금년"},
	{role{relUnitRole, relUnit(yearUnit, 1)}, "明年,来年,내년"},

	{role{weekdayRole, 1}, "monday,lunes,montag,lundi,segunda feira,lunedi,maandag,понедельник,mandag,星期一,周一,週一,礼拜一,月曜日,月曜,월요일"},
	{role{weekdayRole, 2}, "tuesday,martes,dienstag,mardi,terca feira,martedi,dinsdag,вторник,tisdag,星期二,周二,週二,礼拜二,火曜日,火曜,화요일"},
	{role{weekdayRole, 3}, "wednesday,miercoles,mittwoch,mercredi,quarta feira,mercoledi,woensdag,среда,среду,onsdag,星期三,周三,週三,礼拜三,水曜日,水曜,수요일"},
	{role{weekdayRole, 4}, "thursday,jueves,donnerstag,jeudi,quinta feira,giovedi,donderdag,четверг,torsdag,星期四,周四,週四,礼拜四,木曜日,木曜,목요일"},
	{role{weekdayRole, 5}, "friday,viernes,freitag,vendredi,sexta feira,venerdi,vrijdag,пятница,пятницу,fredag,星期五,周五,週五,礼拜五,金曜日,金曜,금요일"},
	{role{weekdayRole, 6}, "saturday,sabado,samstag,sonnabend,samedi,sabato,zaterdag,суббота,субботу,lordag,星期六,周六,週六,礼拜六,土曜日,土曜,토요일"},
	{role{weekdayRole, 0}, "sunday,domingo,sonntag,dimanche,domenica,zondag,воскресенье,sondag,星期日,星期天,周日,周天,週日,礼拜天,礼拜日,日曜日,日曜,일요일"},
	{role{notWeekday, 0}, "black,good,cyber,hot,one,ash,easter,palm,bloody,super,freaky,casual"},

	{role{monthRole, 1}, "january,enero,januar,janner,janvier,janeiro,gennaio,januari,январь,января,январе"},
	{role{monthRole, 2}, "february,febrero,februar,fevrier,fevereiro,febbraio,februari,февраль,февраля,феврале"},
	{role{monthRole, 3}, "marzo,marz,maerz,maart,марта,марте"},
	{role{monthRole, 4}, "abril,avril,aprile,апрель,апреля,апреле"},
	{role{monthRole, 5}, "maio,maggio"},
	{role{monthRole, 6}, "junio,juni,juin,junho,giugno,июнь,июня,июне"},
	{role{monthRole, 7}, "july,juli,juillet,julho,luglio,июль,июля,июле"},
	{role{monthRole, 8}, "agosto,aout,augusti,август,августа,августе"},
	{role{monthRole, 9}, "september,septiembre,setiembre,septembre,setembro,settembre,сентябрь,сентября,сентябре"},
	{role{monthRole, 10}, "october,octubre,oktober,octobre,outubro,ottobre,октябрь,октября,октябре"},
	{role{monthRole, 11}, "november,noviembre,novembre,novembro,ноябрь,ноября,ноябре"},
	{role{monthRole, 12}, "december,diciembre,dezember,decembre,dezembro,dicembre,декабрь,декабря,декабре"},
	{role{looseMonth, 3}, "march,mars,marco,март"},
	{role{looseMonth, 4}, "april"},
	{role{looseMonth, 5}, "may,mayo,mai,mei,maj,май,мая,мае"},
	{role{looseMonth, 6}, "june"},
	{role{looseMonth, 7}, "julio"},
	{role{looseMonth, 8}, "august,augustus"},
	{role{shortMonth, 1}, "jan,ene,gen,janv"},
	{role{shortMonth, 2}, "feb,febr,fev,fevr"},
	{role{shortMonth, 3}, "mar,mrz,mrt"},
	{role{shortMonth, 4}, "apr,abr,avr"},
	{role{shortMonth, 5}, "mag"},
	{role{shortMonth, 6}, "jun,giu"},
	{role{shortMonth, 7}, "jul,juil,lug"},
	{role{shortMonth, 8}, "aug,ago"},
	{role{shortMonth, 9}, "sep,sept,set"},
	{role{shortMonth, 10}, "oct,okt,out,ott"},
	{role{shortMonth, 11}, "nov"},
	{role{shortMonth, 12}, "dec,dic,dez"},

	{role{seasonRole, 0}, "spring,primavera,fruhling,fruehling,fruhjahr,printemps,lente,voorjaar,весна,весной,весны,var,varen,春天,春季,春,봄"},
	{role{seasonRole, 1}, "summer,verano,sommer,ete,verao,estate,zomer,лето,летом,лета,sommar,sommaren,夏天,夏季,夏,여름"},
	{role{seasonRole, 2}, "autumn,fall,otono,herbst,automne,outono,autunno,herfst,najaar,осень,осенью,осени,host,hosten,秋天,秋季,秋,가을"},
	{role{seasonRole, 3}, "winter,invierno,hiver,inverno,зима,зимой,зимы,vinter,vintern,冬天,冬季,冬,겨울"},

	{role{numberRole, 1}, "a,an,one,un,una,uno,ein,eine,einem,einer,einen,une,um,uma,een,один,одну,en,ett,一,한,일"},
	{role{numberRole, 2}, "two,dos,zwei,deux,dois,duas,due,twee,два,две,tva,二,两,兩,두,이"},
	{role{numberRole, 3}, "three,tres,drei,trois,tre,drie,три,三,세,삼"},
	{role{numberRole, 4}, "four,cuatro,vier,quatre,quatro,quattro,четыре,fyra,四,네,사"},
	{role{numberRole, 5}, "five,cinco,funf,fuenf,cinq,cinque,vijf,пять,fem,五,다섯,오"},
	{role{numberRole, 6}, "six,seis,sechs,sei,zes,шесть,sex,六,여섯,육"},
	{role{numberRole, 7}, "seven,siete,sieben,sept,sete,sette,zeven,семь,sju,七,일곱,칠"},
	{role{numberRole, 8}, "eight,ocho,acht,huit,oito,otto,восемь,atta,八,여덟,팔"},
	{role{numberRole, 9}, "nine,nueve,neun,neuf,nove,negen,девять,nio,九,아홉,구"},
	{role{numberRole, 10}, "ten,diez,zehn,dix,dez,dieci,tien,десять,tio,十,열,십"},
	{role{numberRole, 11}, "eleven,once,elf,onze,undici,十一"},
	{role{numberRole, 12}, "twelve,doce,zwolf,zwoelf,douze,doze,dodici,twaalf,十二"},
	{role{numberRole, 14}, "fourteen,catorce,vierzehn,quatorze,quattordici,veertien,十四"},
	{role{numberRole, 15}, "fifteen,quince,funfzehn,quinze,quindici,vijftien,十五"},
	{role{numberRole, 20}, "twenty,veinte,zwanzig,vingt,vinte,venti,twintig,二十"},
	{role{numberRole, 30}, "thirty,treinta,dreissig,trente,trinta,trenta,dertig,三十"},
	{role{fewRole, 2}, "couple,couple of,paar"},
	{role{fewRole, 3}, "few,several,algunos,algunas,unos,unas,einigen,einige,wenigen,quelques,alguns,algumas,pochi,poche,alcuni,alcune,enkele,несколько,几,幾,数"},

	{role{ordinalRole, 1}, "first,1st,primer,primero,primera,erste,erstes,ersten,premier,premiere,primeiro,primeira,primo,prima,eerste,第一,第1,第 1"},
	{role{ordinalRole, 2}, "second,2nd,segundo,segunda,zweite,zweites,zweiten,deuxieme,second,secondo,seconda,tweede,第二,第2"},
	{role{ordinalRole, 3}, "third,3rd,tercer,tercero,tercera,dritte,drittes,dritten,troisieme,terceiro,terceira,terzo,terza,derde,第三,第3"},
	{role{ordinalRole, 4}, "fourth,4th,cuarto,cuarta,vierte,viertes,vierten,quatrieme,quarto,quarta,vierde,第四,第4"},
	{role{quarterRole, 1}, "q1,t1,1q,1t"},
	{role{quarterRole, 2}, "q2,t2,2q,2t"},
	{role{quarterRole, 3}, "q3,t3,3q,3t"},
	{role{quarterRole, 4}, "q4,t4,4q,4t"},
	{role{halfRole, 1}, "h1,1h,上半年,上半期,상반기"},
	{role{halfRole, 2}, "h2,2h,下半年,下半期,하반기"},

	{role{agoAfter, 0}, "ago,earlier,atras,fa,geleden,назад,sedan,前,之前,以前,전"},
	{role{laterAfter, 0}, "from now,hence,后,後,之后,以后,후,뒤"},
	{role{laterBefore, 0}, "in,en,dans,em,tra,fra,over,через,om,dentro de"},
	{role{agoBefore, 0}, "hace,vor,il y a,ha,faz"},
	{role{inRole, 0}, "in,during,en,im,em,nel,nella,tijdens,durante,wahrend,pendant,durant,в,throughout,around,im jahr,back in,as of"},
	{role{wideRole, 0}, "on,for,of,from,about,el,am,le,au,du,de,del,von,vom,aus,op,no,na,al,del,dal,van,fran,для,за,на"},
	{role{overRole, 0}, "in,over,within,during,throughout"},
	{role{sinceRole, 0}, "since,desde,seit,ab,depuis,a partir de,a partir du,da,dal,dall,dalla,dallo,sinds,vanaf,с,со,sedan,ever since,starting,自,自从,自從"},
	{role{beforeRole, 0}, "before,prior to,antes de,antes del,antes do,antes da,vor,vor dem,avant,avant le,prima di,prima del,prima della,voor,до,fore,earlier than"},
	{role{afterRole, 0}, "after,despues de,despues del,tras,nach,nach dem,apres,apres le,depois de,depois do,depois da,dopo,dopo il,na,после,efter,later than"},
	{role{untilRole, 0}, "until,till,up to,by,hasta,bis,bis zum,jusqu a,jusqu au,jusqu en,jusque,ate,fino a,fino al,tot,до,fram till"},
	{role{betweenRole, 0}, "between,entre,zwischen,tra,fra,tussen,между,mellan"},
	{role{fromRole, 0}, "from,de,del,desde,von,vom,du,do,da,dal,van,с,fran,从,從,自"},
	{role{toRole, 0}, "to,until,till,through,thru,..,-,–,—,~,〜,a,al,hasta,bis,bis zum,au,jusqu au,jusqu a,ao,ate,tot,по,до,till,到,至,から,부터"},
	{role{andRole, 0}, "and,&,y,e,und,et,ed,en,и,och,和,と,와,과"},
	{role{ofRole, 0}, "of,de,del,de l,d,di,im,en,em,nel,am,в,dell,della,do,da,du,van,von,des,the,la,le,el,der,die,das,dem,den,l,o,il,lo,het,in,の,的,의"},
	{role{articleRole, 0}, "the,der,die,das,dem,den,el,la,los,las,le,les,l,o,a,os,as,il,lo,i,gli,het,de,这,這"},
	{role{onwardRole, 0}, "on,onward,onwards,forward,en adelante,an,em diante,in poi,开始,開始,起"},
	{role{everyRole, 0}, "every,each,cada,jeden,jede,jedes,jeder,chaque,todos,todas,ogni,elke,iedere,каждый,каждую,varje,每,每个,毎,매"},
	{role{qualifierRole, 0}, "early,mid,late,beginning,start,end,middle,principios,finales,mediados,inicio,fin,anfang,ende,mitte,debut,milieu,comeco,meados,inizio,meta,begin,eind,midden,начале,конце"},
	{role{sincePost, 0}, "以来,以降,开始,開始,から,부터,이래"},
	{role{sincePost, 1}, "以后,以後,之后,之後,이후"},
	{role{beforePost, 0}, "以前,之前,より前,이전,전"},
	{role{beforePost, 1}, "まで,까지,为止,為止"},
}

// maxDateWords is the most words of an entry.
const maxDateWords = 3

// dateRoles maps a word or phrase to its roles.
var dateRoles = sync.OnceValue(func() map[string][]role {
	roles := map[string][]role{}
	for _, e := range dateEntries {
		for w := range strings.SplitSeq(e.words, ",") {
			w = Fold(w)
			roles[w] = append(roles[w], e.role)
		}
	}
	return roles
})

// measured are the things that a number in front of them counts, so that it is no
// year.
var measured = wordSet(`lines line rows files file bytes kb mb gb ms seconds minutes users requests items records tests messages
tokens characters words pages points people eur euros dollars usd times steps entries commits px km m kg zeilen dateien lineas filas lignes`)

// finished are words that make of "in three days" how long it took.
var finished = wordSet(`did took take takes taken finished finish done was were built within passed lost gained rebuilt read wrote
fertig dauerte geschafft tardo tarde fini fait prit`)

// datingWords lead to a bare year in good faith.
var datingWords = wordSet("from for of de del von aus du van dal fran")

// springs are what makes of spring a library.
var springs = wordSet("boot framework security data mvc cloud batch bean beans onion onions cleaning roll rolls")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
