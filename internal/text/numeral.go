package text

import (
	"slices"
	"strconv"
	"strings"
)

// numerals are the words for 0 to 20 that a query may have for digits, and digits
// for words. One is left out: it is an article or a pronoun.
var numerals = map[language][]string{
	english: strings.Fields(`zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty`),
	spanish: strings.Fields(`cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete
dieciocho diecinueve veinte`),
	german: strings.Fields(`null - zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn
achtzehn neunzehn zwanzig`),
	french: strings.Fields(`zero - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize - - - vingt`),
	portuguese: strings.Fields(`zero - dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete
dezoito dezenove vinte`),
	italian: strings.Fields(`zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
diciassette diciotto diciannove venti`),
}

// otherNumeral gives the digits for a numeral in a language, or the numeral for
// digits; an unknown language is English.
func otherNumeral(surface string, lang language) (string, bool) {
	if lang == unknownLanguage {
		lang = english
	}
	list := numerals[lang]
	if n, err := strconv.Atoi(surface); err == nil {
		if n < 0 || n >= len(list) || list[n] == "-" {
			return "", false
		}
		return list[n], true
	}
	if i := slices.Index(list, surface); i >= 0 {
		return strconv.Itoa(i), true
	}
	return "", false
}
