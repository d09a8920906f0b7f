package text

import (
	"strings"
)

// The kinds that code refers to; the others are named in the table.
const (
	kindAWSKey      = "aws-key"
	kindAWSTempKey  = "aws-temp-key"
	kindAWSSecret   = "aws-secret"
	kindURLPassword = "url-password"
	kindGeneric     = "generic-secret"
	kindBasicAuth   = "basic-auth"
)

// alphabet is a set of bytes.
type alphabet [256]bool

func alphabetOf(chars string) *alphabet {
	var a alphabet
	for i := 0; i < len(chars); i++ {
		if i+2 < len(chars) && chars[i+1] == '-' {
			for c := chars[i]; c <= chars[i+2]; c++ {
				a[c] = true
			}
			i += 2
			continue
		}
		a[chars[i]] = true
	}
	return &a
}

// run is the offset of the first byte of s at or after i that is not in a.
func (a *alphabet) run(s string, i int) int {
	for i < len(s) && a[s[i]] {
		i++
	}
	return i
}

var (
	base62    = alphabetOf("a-zA-Z0-9")
	word      = alphabetOf("a-zA-Z0-9_")
	urlSafe   = alphabetOf("a-zA-Z0-9_-")
	dotted    = alphabetOf("a-zA-Z0-9_.-")
	base64Std = alphabetOf("a-zA-Z0-9+/=")
	lowerHex  = alphabetOf("a-f0-9")
	anyHex    = alphabetOf("a-fA-F0-9")
	lowerNum  = alphabetOf("a-z0-9")
	upperNum  = alphabetOf("A-Z0-9")
	hexDash   = alphabetOf("a-fA-F0-9-")
)

// issuerRule is the shape of one issuer's token: a prefix and a body of least
// and most bytes of an alphabet; most 0 is no limit. check has the last word on
// the body that goes from its offset to the end of s. A shape with more parts
// has find instead, which from the offset of the body finds the end of the
// token, or 0.
type issuerRule struct {
	kind   string
	prefix string
	body   *alphabet
	least  int
	most   int
	check  func(s string, body int) bool
	find   func(sc *secretScanner, body int) int
}

// issuerRules are tried in this order for each first byte: the longer prefix
// before the shorter.
var issuerRules = []issuerRule{
	// Clouds.
	{kind: kindAWSKey, prefix: "AKIA", body: upperNum, least: 16, most: 16},
	{kind: kindAWSTempKey, prefix: "ASIA", body: upperNum, least: 16, most: 16},
	{kind: kindAWSKey, prefix: "ABIA", body: upperNum, least: 16, most: 16},
	{kind: kindAWSKey, prefix: "ACCA", body: upperNum, least: 16, most: 16},
	{kind: "aws-bedrock-key", prefix: "ABSK", body: base64Std, least: 109},
	{kind: "aws-mws-token", prefix: "amzn.mws.", body: hexDash, least: 36, most: 36},
	{kind: "google-key", prefix: "AIza", body: urlSafe, least: 35, most: 35},
	{kind: "google-oauth-secret", prefix: "GOCSPX-", body: urlSafe, least: 24},
	{kind: "google-oauth-token", prefix: "ya29.", body: urlSafe, least: 20},
	{kind: "google-refresh-token", prefix: "1//0", body: urlSafe, least: 35},
	{kind: "digitalocean-token", prefix: "dop_v1_", body: lowerHex, least: 64, most: 64},
	{kind: "digitalocean-token", prefix: "doo_v1_", body: lowerHex, least: 64, most: 64},
	{kind: "digitalocean-token", prefix: "dor_v1_", body: lowerHex, least: 64, most: 64},
	{kind: "alibaba-key", prefix: "LTAI", body: base62, least: 12, most: 26, check: mixedBody},
	{kind: "tencent-key", prefix: "AKID", body: base62, least: 32, most: 32, check: mixedBody},
	{kind: "yandex-key", prefix: "AQVN", body: urlSafe, least: 35},
	{kind: "yandex-token", prefix: "y0_", body: urlSafe, least: 50},
	{kind: "cloudflare-key", prefix: "v1.0-", body: hexDash, least: 171, most: 171},
	{kind: "cloudflare-token", prefix: "cfut_", body: word, least: 40},
	{kind: "cloudflare-token", prefix: "cfat_", body: word, least: 40},
	{kind: "heroku-key", prefix: "HRKU-", body: urlSafe, least: 36},
	{kind: "fly-token", prefix: "fo1_", body: urlSafe, least: 43},
	{kind: "fly-token", prefix: "fm1a_", body: base64Std, least: 60},
	{kind: "fly-token", prefix: "fm1r_", body: base64Std, least: 60},
	{kind: "fly-token", prefix: "fm2_", body: base64Std, least: 60},
	{kind: "netlify-token", prefix: "nfp_", body: base62, least: 36},
	{kind: "vercel-token", prefix: "vcp_", body: base62, least: 24},
	{kind: "render-key", prefix: "rnd_", body: base62, least: 28, check: mixedBody},
	{kind: "supabase-token", prefix: "sbp_", body: lowerHex, least: 40},
	{kind: "supabase-key", prefix: "sb_secret_", body: urlSafe, least: 20},
	{kind: "planetscale-token", prefix: "pscale_tkn_", body: dotted, least: 32},
	{kind: "planetscale-token", prefix: "pscale_pw_", body: dotted, least: 32},
	{kind: "planetscale-token", prefix: "pscale_oauth_", body: dotted, least: 32},
	{kind: "neon-key", prefix: "napi_", body: lowerNum, least: 60},
	{kind: "scaleway-key", prefix: "SCW", body: upperNum, least: 17, most: 17, check: mixedBody},

	// Code, packages, builds.
	{kind: "github-token", prefix: "ghp_", body: base62, least: 36},
	{kind: "github-oauth", prefix: "gho_", body: base62, least: 36},
	{kind: "github-app", prefix: "ghs_", body: base62, least: 36},
	{kind: "github-app", prefix: "ghu_", body: base62, least: 36},
	{kind: "github-refresh", prefix: "ghr_", body: base62, least: 36},
	{kind: "github-pat", prefix: "github_pat_", body: word, least: 36},
	{kind: "gitlab-token", prefix: "glpat-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "gldt-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glrt-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glptt-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glcbt-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glft-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glsoat-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glimt-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glagent-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "gloas-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "glffct-", body: dotted, least: 20},
	{kind: "gitlab-token", prefix: "GR1348941", body: urlSafe, least: 20, most: 20},
	{kind: "bitbucket-token", prefix: "ATBB", body: base62, least: 32, most: 36, check: mixedBody},
	{kind: "atlassian-token", prefix: "ATATT3", body: alphabetOf("a-zA-Z0-9_=-"), least: 60},
	{kind: "atlassian-token", prefix: "ATCTT3", body: alphabetOf("a-zA-Z0-9_=-"), least: 60},
	{kind: "npm-token", prefix: "npm_", body: base62, least: 36},
	{kind: "pypi-token", prefix: "pypi-Ag", body: urlSafe, least: 40},
	{kind: "rubygems-token", prefix: "rubygems_", body: lowerHex, least: 48},
	{kind: "nuget-key", prefix: "oy2", body: lowerNum, least: 43, most: 43},
	{kind: "crates-token", prefix: "cio", body: base62, least: 32, most: 32, check: mixedBody},
	{kind: "clojars-token", prefix: "CLOJARS_", body: lowerNum, least: 60},
	{kind: "docker-token", prefix: "dckr_pat_", body: urlSafe, least: 27},
	{kind: "docker-token", prefix: "dckr_oat_", body: urlSafe, least: 27},
	{kind: "artifactory-key", prefix: "AKCp", body: base62, least: 60},
	{kind: "artifactory-token", prefix: "cmVmdGtu", body: base62, least: 50},
	{kind: "pulumi-token", prefix: "pul-", body: lowerHex, least: 40, most: 40},
	{kind: "terraform-token", prefix: "", find: terraformToken},
	{kind: "vault-token", prefix: "hvs.", body: urlSafe, least: 24},
	{kind: "vault-token", prefix: "hvb.", body: urlSafe, least: 90},
	{kind: "vault-token", prefix: "hvr.", body: urlSafe, least: 90},
	{kind: "doppler-token", prefix: "dp.", find: dopplerToken},
	{kind: "circleci-token", prefix: "CCIPAT_", body: word, least: 40},
	{kind: "buildkite-token", prefix: "bkua_", body: base62, least: 40},
	{kind: "sonar-token", prefix: "squ_", body: lowerHex, least: 40, most: 40},
	{kind: "sonar-token", prefix: "sqp_", body: lowerHex, least: 40, most: 40},
	{kind: "sonar-token", prefix: "sqa_", body: lowerHex, least: 40, most: 40},
	{kind: "sourcegraph-token", prefix: "sgp_", body: word, least: 40},
	{kind: "openshift-token", prefix: "sha256~", body: urlSafe, least: 43, most: 43},
	{kind: "tailscale-key", prefix: "tskey-", body: urlSafe, least: 20},
	{kind: "1password-token", prefix: "ops_eyJ", body: alphabetOf("a-zA-Z0-9_=+/-"), least: 100},
	{kind: "postman-key", prefix: "PMAK-", body: hexDash, least: 59, most: 59},
	{kind: "prefect-key", prefix: "pnu_", body: lowerNum, least: 36, most: 36},

	// Chat, mail, telephony.
	{kind: "slack-token", prefix: "xox", find: slackToken},
	{kind: "slack-token", prefix: "xapp-", body: urlSafe, least: 40},
	{kind: "slack-webhook", prefix: "https://hooks.slack.com/", find: webhook("services/", "workflows/", "triggers/")},
	{kind: "discord-webhook", prefix: "https://discord.com/api/", find: webhook("webhooks/")},
	{kind: "discord-webhook", prefix: "https://discordapp.com/api/", find: webhook("webhooks/")},
	{kind: "zapier-webhook", prefix: "https://hooks.zapier.com/", find: webhook("hooks/catch/")},
	{kind: "discord-token", prefix: "M", find: discordToken},
	{kind: "discord-token", prefix: "N", find: discordToken},
	{kind: "discord-token", prefix: "O", find: discordToken},
	{kind: "telegram-token", prefix: "", find: telegramToken},
	{kind: "sendgrid-key", prefix: "SG.", find: sendgridKey},
	{kind: "mailgun-key", prefix: "key-", body: lowerHex, least: 32, most: 32, check: mailgunKey},
	{kind: "mailchimp-key", prefix: "", find: mailchimpKey},
	{kind: "brevo-key", prefix: "xkeysib-", body: alphabetOf("a-zA-Z0-9-"), least: 64},
	{kind: "brevo-key", prefix: "xsmtpsib-", body: alphabetOf("a-zA-Z0-9-"), least: 64},
	{kind: "mailersend-key", prefix: "mlsn.", body: lowerHex, least: 64},
	{kind: "resend-key", prefix: "re_", body: word, least: 33, most: 33, check: resendKey},
	{kind: "twilio-key", prefix: "SK", body: anyHex, least: 32, most: 32},
	{kind: "facebook-token", prefix: "EAAC", body: base62, least: 60},
	{kind: "facebook-token", prefix: "EAAM", body: base62, least: 60},
	{kind: "facebook-token", prefix: "EAAG", body: base62, least: 60},
	{kind: "twitter-token", prefix: "AAAAAAAAAAAAAAAAAAAAA", body: alphabetOf("a-zA-Z0-9%"), least: 60, check: percentBody},
	{kind: "twitch-token", prefix: "oauth:", body: lowerNum, least: 30, most: 30, check: mixedBody},

	// Payment and commerce.
	{kind: "stripe-key", prefix: "sk_live_", body: base62, least: 16},
	{kind: "stripe-key", prefix: "sk_test_", body: base62, least: 16},
	{kind: "stripe-key", prefix: "sk_prod_", body: base62, least: 16},
	{kind: "stripe-key", prefix: "rk_live_", body: base62, least: 16},
	{kind: "stripe-key", prefix: "rk_test_", body: base62, least: 16},
	{kind: "stripe-key", prefix: "rk_prod_", body: base62, least: 16},
	{kind: "stripe-webhook-secret", prefix: "whsec_", body: base64Std, least: 24},
	{kind: "square-token", prefix: "sq0atp-", body: urlSafe, least: 22},
	{kind: "square-secret", prefix: "sq0csp-", body: urlSafe, least: 40},
	{kind: "square-token", prefix: "EAAA", body: urlSafe, least: 56, most: 60},
	{kind: "paypal-token", prefix: "access_token$", body: alphabetOf("a-z0-9$"), least: 40},
	{kind: "shopify-token", prefix: "shpat_", body: anyHex, least: 32},
	{kind: "shopify-token", prefix: "shpca_", body: anyHex, least: 32},
	{kind: "shopify-token", prefix: "shppa_", body: anyHex, least: 32},
	{kind: "shopify-token", prefix: "shpss_", body: anyHex, least: 32},
	{kind: "easypost-key", prefix: "EZAK", body: base62, least: 54, most: 54},
	{kind: "easypost-key", prefix: "EZTK", body: base62, least: 54, most: 54},
	{kind: "shippo-token", prefix: "shippo_live_", body: anyHex, least: 40},
	{kind: "shippo-token", prefix: "shippo_test_", body: anyHex, least: 40},
	{kind: "flutterwave-key", prefix: "FLWSECK_TEST-", body: alphabetOf("a-zA-Z0-9-"), least: 12},
	{kind: "flutterwave-key", prefix: "FLWSECK-", body: alphabetOf("a-zA-Z0-9-"), least: 32},
	{kind: "duffel-token", prefix: "duffel_live_", body: alphabetOf("a-zA-Z0-9_=-"), least: 43},
	{kind: "duffel-token", prefix: "duffel_test_", body: alphabetOf("a-zA-Z0-9_=-"), least: 43},
	{kind: "plaid-token", prefix: "access-sandbox-", body: hexDash, least: 36, most: 36},
	{kind: "plaid-token", prefix: "access-production-", body: hexDash, least: 36, most: 36},

	// Models.
	{kind: "anthropic-key", prefix: "sk-ant-", body: urlSafe, least: 32},
	{kind: "openai-key", prefix: "sk-proj-", body: urlSafe, least: 40},
	{kind: "openai-key", prefix: "sk-svcacct-", body: urlSafe, least: 40},
	{kind: "openai-key", prefix: "sk-admin-", body: urlSafe, least: 40},
	{kind: "openai-key", prefix: "sk-None-", body: urlSafe, least: 40},
	{kind: "openrouter-key", prefix: "sk-or-", body: alphabetOf("a-z0-9-"), least: 64},
	{kind: "langfuse-key", prefix: "sk-lf-", body: hexDash, least: 36, most: 36},
	{kind: "openai-key-old", prefix: "sk-", body: base62, least: 32, check: mixedBody},
	{kind: "huggingface-token", prefix: "hf_", body: base62, least: 34},
	{kind: "huggingface-token", prefix: "api_org_", body: base62, least: 34},
	{kind: "groq-key", prefix: "gsk_", body: base62, least: 40},
	{kind: "xai-key", prefix: "xai-", body: base62, least: 60},
	{kind: "perplexity-key", prefix: "pplx-", body: base62, least: 40},
	{kind: "replicate-token", prefix: "r8_", body: base62, least: 37, most: 37},
	{kind: "nvidia-key", prefix: "nvapi-", body: urlSafe, least: 60},
	{kind: "cerebras-key", prefix: "csk-", body: lowerNum, least: 40},
	{kind: "tavily-key", prefix: "tvly-", body: urlSafe, least: 28, check: mixedCaseBody},
	{kind: "langsmith-key", prefix: "lsv2_", find: langsmithKey},
	{kind: "pinecone-key", prefix: "pcsk_", body: word, least: 50},
	{kind: "jina-key", prefix: "jina_", body: urlSafe, least: 50},
	{kind: "voyage-key", prefix: "pa-", body: urlSafe, least: 40, check: mixedCaseBody},
	{kind: "fireworks-key", prefix: "fw_", body: base62, least: 22, check: mixedBody},
	{kind: "together-key", prefix: "tgp_v1_", body: urlSafe, least: 40},
	{kind: "runpod-key", prefix: "rpa_", body: base62, least: 40},
	{kind: "engram-key", prefix: "engram_", body: base62, least: 43},
	{kind: "engram-key-old", prefix: "eng_", body: base62, least: 32, most: 32},

	// Tools and observation.
	{kind: "linear-key", prefix: "lin_api_", body: base62, least: 40},
	{kind: "linear-key", prefix: "lin_oauth_", body: base62, least: 40},
	{kind: "notion-token", prefix: "ntn_", body: base62, least: 40},
	{kind: "notion-token", prefix: "secret_", body: base62, least: 43, most: 43, check: mixedBody},
	{kind: "airtable-token", prefix: "pat", find: airtableToken},
	{kind: "hubspot-token", prefix: "pat-", find: hubspotToken},
	{kind: "figma-token", prefix: "figd_", body: urlSafe, least: 38},
	{kind: "typeform-token", prefix: "tfp_", body: dotted, least: 40},
	{kind: "databricks-token", prefix: "dapi", body: alphabetOf("a-f0-9-"), least: 32, most: 36},
	{kind: "grafana-token", prefix: "glsa_", body: word, least: 40},
	{kind: "grafana-token", prefix: "glc_", body: base64Std, least: 32},
	{kind: "grafana-token", prefix: "eyJrIjoi", body: base64Std, least: 60},
	{kind: "sentry-token", prefix: "sntrys_", body: alphabetOf("a-zA-Z0-9+/=_"), least: 60},
	{kind: "sentry-token", prefix: "sntryu_", body: lowerHex, least: 64},
	{kind: "newrelic-key", prefix: "NRAK-", body: upperNum, least: 27, most: 27},
	{kind: "newrelic-key", prefix: "NRII-", body: urlSafe, least: 32, most: 32},
	{kind: "dynatrace-token", prefix: "dt0c01.", body: alphabetOf("A-Z0-9."), least: 80},
	{kind: "posthog-key", prefix: "phx_", body: word, least: 40},
	{kind: "apify-token", prefix: "apify_api_", body: base62, least: 36},
	{kind: "dropbox-token", prefix: "sl.", body: alphabetOf("a-zA-Z0-9_=-"), least: 120},
	{kind: "mapbox-token", prefix: "sk.eyJ", body: dotted, least: 60},
	{kind: "azure-client-secret", prefix: "", find: azureClientSecret},

	// Keys and signed tokens.
	{kind: "age-key", prefix: "AGE-SECRET-KEY-1", body: upperNum, least: 50},
	{kind: "age-key", prefix: "AGE-PLUGIN-", body: alphabetOf("A-Z0-9-"), least: 40},
	{kind: "jwt", prefix: "ey", find: jwt},
}

// indexSecretRules makes the tables that the scanner looks bytes up in.
func indexSecretRules(rules []issuerRule) (actions [256]uint8, issuers [256][]issuerRule) {
	for c := range 256 {
		if isAlnum(byte(c)) { // even without a rule: a bare secret beside an AWS key id
			actions[c] |= issuerAction
		}
		for _, r := range rules {
			if r.prefix == "" && isAlnum(byte(c)) || r.prefix != "" && r.prefix[0] == byte(c) {
				issuers[c] = append(issuers[c], r)
			}
		}
	}
	for _, c := range []byte(":=->BbPp") {
		actions[c] |= contextAction
	}
	actions['-'] |= issuerAction // the dashes of a key block
	return actions, issuers
}

// issuerAt is the token with an issuer's shape that begins at i.
func (sc *secretScanner) issuerAt(i int) (secretSpan, bool) {
	s := sc.s
	if strings.HasPrefix(s[i:], "-----BEGIN ") || strings.HasPrefix(s[i:], "---- BEGIN ") {
		return sc.keyBlock(i)
	}
	for k := range issuers[s[i]] {
		r := &issuers[s[i]][k]
		if !strings.HasPrefix(s[i:], r.prefix) {
			continue
		}
		if end := sc.match(r, i+len(r.prefix)); end > 0 {
			return secretSpan{i, end, r.kind}, true
		}
	}
	if i < sc.awsUntil {
		if end := base64Std.run(s[:min(len(s), i+41)], i); end-i == 40 && mixed(s[i:end]) && !placeholder(s[i:end]) {
			return secretSpan{i, end, kindAWSSecret}, true
		}
	}
	return secretSpan{}, false
}

// match is the end of the token of the rule r whose body begins at i, or 0.
func (sc *secretScanner) match(r *issuerRule, i int) int {
	if r.find != nil {
		return r.find(sc, i)
	}
	s := sc.s
	judged, end := sc.token(r.body, i, ".") // a full stop ends the sentence, not the token
	if end-i < r.least || r.most > 0 && end-i > r.most || !ends(s, end) || sc.placeholder(judged) {
		return 0
	}
	if r.check != nil && !r.check(s[:i+len(judged)], i) {
		return 0
	}
	return end
}

// mixedBody takes a body with letters and digits: for prefixes that are also
// the beginning of words.
func mixedBody(s string, i int) bool {
	return strings.ContainsAny(s[i:], "0123456789") && strings.ContainsFunc(s[i:], isASCIILetter)
}

// mixedCaseBody takes a body with both cases and digits.
func mixedCaseBody(s string, i int) bool { return mixed(s[i:]) }

// percentBody takes a body that is URL-encoded, as the zeros of base64 are not.
func percentBody(s string, i int) bool { return strings.IndexByte(s[i:], '%') >= 0 }

// mailgunKey takes a body unless its prefix ends a name like cache-key-….
func mailgunKey(s string, i int) bool {
	start := i - len("key-")
	return start == 0 || s[start-1] != '-'
}

// resendKey takes 8 characters, a line, 24 characters.
func resendKey(s string, i int) bool {
	return base62.run(s, i) == i+8 && mixed(s[i:]) && strings.IndexByte(s[i+9:], '_') < 0
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// mixed reports whether v has lower case, upper case and digits.
func mixed(v string) bool {
	var lower, upper, digit bool
	for i := range len(v) {
		lower = lower || isLower(v[i])
		upper = upper || isUpper(v[i])
		digit = digit || isDigit(v[i])
	}
	return lower && upper && digit
}
