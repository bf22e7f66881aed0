/// <reference lib="esnext.disposable" />

/**
 * robots.txt as RFC 9309 says: verdicts with the rule that decides, explanations, lint and diff.
 *
 * Everything is synchronous after the import. A text is a string, or a `Uint8Array` of UTF-8, which may also have bytes that
 * are not UTF-8. In a string, a surrogate without its other half becomes U+FFFD, as with `TextEncoder`. Bytes are
 * copied. An argument of a wrong type is a `TypeError`. So are bytes that have lost their content, because their buffer was sent to
 * another thread or became shorter. All other errors are a {@link HeedError}.
 */

/** A string, or bytes, which need not be UTF-8. */
export type Text = string | Uint8Array;

/**
 * An absolute URL such as `"https://example.com/cart?id=1"`, or only its path `"/cart?id=1"`. Its scheme, host and port are not
 * checked. A text that begins with "//" is a path, so resolve such links first: `new URL(link, page)`.
 */
export type Target = Text | URL;

/** How a robots.txt is read. The default is `rfc9309`. */
export type Dialect = "rfc9309" | "google" | "draft2019" | "draft1996" | "standard1994";

/** Why a URL is allowed or disallowed. */
export type Reason =
  | "rule"
  | "no-rule-matched"
  | "no-group"
  | "robots-txt-itself"
  | "invalid-agent"
  | "invalid-target"
  | "ignores-everyone";

/** A verdict about a URL. */
export interface Decision {
  /**
   * Whether the crawler may request the URL. `false` if the reason is `invalid-target` or `invalid-agent`. The dialect
   * `google` has neither reason: there the rules decide about each text, and often allow it.
   */
  allowed: boolean;
  /** The line of the rule that decides, counted from 1; 0: no rule decides. */
  line: number;
  reason: Reason;
}

/** The error of this package. The message is safe to print, and says which input is wrong. */
export class HeedError extends Error {
  name: "HeedError";
  /**
   * - `closed`: the file or policy was closed before
   * - `kind`: a method of files was called with a policy, or the other way round
   * - `argument`: an argument has a value that is not allowed, such as a dialect that does not exist
   * - `too-large`: a text has more than 256 MiB
   * - `full`: there are too many files at the same time, or they are too large
   * - `failed`: Heed had no memory left, or has a bug. The next call works again, with the same files and policies
   */
  code: "closed" | "kind" | "argument" | "too-large" | "full" | "failed";
}

/** What {@link parse} returns: a robots.txt. */
export class RobotsFile {
  private constructor();
  /**
   * Returns what the file says to a crawler.
   *
   * @param tokens the product token of the crawler, such as `"ExampleBot"`; or several, the most specific first, if it
   *   also follows groups for other names: `agent("Googlebot-News", "Googlebot")`. A User-Agent header is read as the token in it,
   *   and a token up to the first character that no name can have: `"bad!"` as `"bad"`. The dialect `google` uses each token as it is.
   *   Without tokens: a crawler without a group. A list is the same as its members: `agent(crawlers()[0].agent)`.
   */
  agent(...tokens: (Text | readonly Text[])[]): Policy;
  /** Returns the URLs of the Sitemap lines. What is not an absolute URL is left out. */
  sitemaps(): string[];
  /**
   * Frees the memory of the file now. Without close, it is freed some time after the last use of the file. Policies of
   * the file can still be used. Closing twice is no error. Any other use of a closed file is an error with the code `closed`.
   */
  close(): void;
  /** {@link close}, for `using`. Engines without `Symbol.dispose` do not have it. */
  [Symbol.dispose](): void;
}

/** What a robots.txt says to a crawler. */
export class Policy {
  private constructor();
  /** Decides about a URL. Its host is not compared with anything: use the policy of the robots.txt of its origin. */
  check(url: Target): Decision;
  /** Decides about many URLs, in their order: faster than one at a time. */
  checkAll(urls: Iterable<Target> | ArrayLike<Target>): Decision[];
  /**
   * Returns the form of a URL to check before it is requested: `policy.check(policy.requested(url))`. Browsers, and
   * {@link URL}, remove tabs and line ends from a URL, and white space at its end, and read a backslash before the first
   * "?" or "#" as "/"; other programs request the URL as it is written. The result is the URL as it is written, or the form of
   * browsers if only that form is disallowed.
   */
  requested(url: string | URL): string;
  requested(url: Uint8Array): Uint8Array;
  /** Explains a decision, in each dialect. The error has the code `argument` if the reason is `invalid-target` or `invalid-agent`. */
  explain(url: Target): Explanation;
  /**
   * Decides about a URL, and says what the page may be used for, by the robots.txt and by the headers, page and tdmrep.json in the
   * question. If nothing is found about a purpose, its preference is `unknown`, which is no permission. If the question has an unknown
   * member, a TypeError is thrown.
   */
  usage(url: Target, question?: UsageQuestion): UsageAnswer;
  /** Returns the longest Crawl-delay for the crawler, in seconds. The dialect `google` has none. */
  crawlDelay(): number | undefined;
  /** Returns all rules and records for this crawler. */
  show(): Sheet;
  /** Like {@link RobotsFile.close}. */
  close(): void;
  /** {@link close}, for `using`. Engines without `Symbol.dispose` do not have it. */
  [Symbol.dispose](): void;
}

/**
 * Parses a robots.txt. Any text can be parsed, and is read as far as crawlers read it.
 *
 * @throws HeedError with the code `argument` if there is no such dialect; TypeError if an option is unknown
 */
export function parse(robots: Text, options?: { dialect?: Dialect }): RobotsFile;

/** Finds what is wrong with a robots.txt. Comments in it can turn rules off. */
export function lint(robots: Text): Finding[];

/**
 * Finds all differences of two files in what crawlers may request, with a short URL that proves each.
 *
 * @param options crawlers: which crawlers to compare. Each is a product token, or a list of several, the most
 *   specific first. Without it, the files are compared for all crawlers: `crawlers` in the answer is about each crawler that a
 *   file names, and about "*", which is every crawler that neither file names. `purposes` lists the known crawlers that are affected
 * @throws TypeError if an option is unknown
 */
export function diff(older: RobotsFile | Text, newer: RobotsFile | Text, options?: { crawlers?: Iterable<Text | readonly string[]> }): Comparison;

/** Returns the table of known crawlers. */
export function crawlers(): Crawler[];

/**
 * Answers these questions of the HTTP API of `heed serve` without a server: `/v1/compare`, `/v1/crawlers`, `/v1/explain`,
 * `/v1/flips`, `/v1/grid`, `/v1/lint`, `/v1/policy` and `/v1/write`. A question that cannot be answered has the same status as
 * there, and a body with `error`.
 *
 * @param question the JSON of the request; its member `robots` may have bytes
 * @returns the status of HTTP, and JSON as text
 */
export function answer(path: string, question?: object | null): { status: number; body: string };

// The types below describe JSON that the command `heed` (with `--format json`) and the HTTP API have too. Later versions may add members. If a text is not
// UTF-8, there is also a member with its name and "_b64", which has the bytes in base64.

/** A product token, or several, the most specific first. */
export type Agent = string | string[];

/** An Allow or Disallow line. */
export interface Rule {
  line: number;
  /** true for Allow, false for Disallow */
  allow: boolean;
  /** as written in the file */
  pattern: string;
  pattern_b64?: string;
}

/** A purpose for which a page may be used. */
export type Purpose = "train-ai" | "search" | "ai-use";

/** What a page may be used for, as a question. Each member may be absent. */
export interface UsageQuestion {
  /** Without it, all purposes. */
  for?: Purpose[];
  /** Which kinds of statements are read; `all` by default. */
  profile?: "all" | "ietf" | "signals" | "eu-art4";
  /** The headers of the response, such as those of `fetch`. */
  headers?: Headers | Record<string, string | string[]> | Iterable<[string, string]>;
  /** The start of the page; 64 KiB are read. */
  html?: string;
  /** The content of /.well-known/tdmrep.json, parsed. */
  tdmrep?: unknown;
}

/** A place where a site says what its content may be used for. */
export interface Statement {
  carrier: "content-usage" | "content-signal" | "purpose-token" | "license" | "tdmrep" | "x-robots-tag" | "meta-robots";
  line?: number;
  header?: string;
  meta?: string;
  row?: number;
  text: string;
  text_b64?: string;
  note?: string;
}

/** What a page may be used for, and what decides. */
export interface Preference {
  preference: "allowed" | "disallowed" | "unknown" | "not-crawlable";
  by: Statement[];
  ignored: (Statement & { why: string })[];
  by_more?: number;
  ignored_more?: number;
}

export interface UsageAnswer {
  url: string;
  url_b64?: string;
  allowed: boolean;
  reason: string;
  rule?: Rule;
  usage: Partial<Record<Purpose, Preference>>;
}

export interface Explanation {
  url: string;
  url_b64?: string;
  /** the product tokens of the crawler */
  agents: string[];
  /** the dialect of the policy, which decides; the other ones are only to compare */
  dialect: Dialect;
  /** one for each dialect */
  dialects: Trace[];
  /** one for each dialect that decides differently, with the reason in words */
  differences: { dialect: Dialect; why: string }[];
}

/** The steps of a decision in a dialect. */
export interface Trace {
  dialect: Dialect;
  allowed: boolean;
  reason: Reason;
  /** the rule that decides; absent if none does */
  rule?: Rule;
  /** the part of the URL that rules are compared with, in normal form; "" if no rule was compared */
  path: string;
  path_b64?: string;
  /** all groups of the file: the line of their first User-agent, and in words why they apply or not */
  groups: { line: number; applies: boolean; why: string; rules: number }[];
  /** the rules that match; the first one decides; at most 1,000 */
  candidates: Candidate[];
  /** the number of candidates that are left out */
  more_candidates?: number;
}

/** A rule that matches a URL. */
export interface Candidate extends Use {
  rule: Rule;
  /** the normal form of the pattern */
  normal_form: string;
  /** length of the normal form */
  bytes: number;
  /** why it decides or not, in words */
  why: string;
  /** the parts of the path that it matches, in bytes; a wildcard may match nothing */
  spans: { start: number; end: number; wildcard?: boolean }[];
}

/** What applies to one crawler. */
export interface Sheet {
  source: string;
  dialect: Dialect;
  /** the file has more than the dialect reads */
  truncated?: boolean;
  /** has one member: the crawler of the policy */
  crawlers: Applies[];
  /** all Sitemap lines; they apply to every crawler */
  sitemaps: FileRecord[];
  /** other records that apply to every crawler */
  records: FileRecord[];
}

/** The rules and records for a crawler. */
export interface Applies {
  agent: Agent;
  /** false: sources say that it does not follow robots.txt */
  obeys?: boolean;
  /** false: sources say that it does not follow the groups for "*" */
  obeys_everyone?: boolean;
  /** "train-ai", for example: the name is a purpose token, and no crawler: only a group that names it states a preference */
  purpose_token?: string;
  /** whether all URLs are allowed, or all are disallowed; absent if it depends on the URL, or cannot be found out quickly */
  everything?: "allowed" | "disallowed";
  /** the groups that apply */
  groups: { group: number; line: number; user_agent: string; why: string; rules: number }[];
  /** the rules of these groups; the first that matches a URL decides */
  rules: UsedRule[];
  /** the verdict if no rule matches */
  otherwise: "allowed" | "disallowed";
  reason: Reason;
  /** lines without a pattern, or with one that matches nothing */
  rules_without_effect: Rule[];
  /** the longest crawl delay in these groups */
  crawl_delay?: { line: number; seconds: number };
  records: FileRecord[];
}

/** A rule, and whether it has an effect. */
export interface UsedRule extends Rule, Use {}

/** Whether a rule has an effect. All members are absent if that was not checked. */
export interface Use {
  /** "changes nothing": if only this line is removed, every URL has the same verdict */
  use?: "needed" | "changes nothing" | "never decides" | "unknown";
  /** the lines that decide in place of a rule that never decides; 0 is /robots.txt itself */
  blocked_by?: number[];
  /** the lines of blocked_by that have the opposite verdict */
  opposite?: number[];
  /** it is the only rule of its group: without it, the crawlers of the group would belong to the next group */
  ends_names?: boolean;
}

/** A line with a known key that the protocol does not define, or a Sitemap line. */
export interface FileRecord {
  line: number;
  name: string;
  value: string;
  /** the value as data; its members depend on the name */
  record?: unknown;
  /** it has no effect in the dialect */
  ignored?: boolean;
  /** no known crawler reads such records any more */
  dead?: boolean;
  /** why its value cannot be read */
  error?: string;
}

/** Something that is wrong with a robots.txt. */
export interface Finding {
  file: string;
  /** counted from 1; absent: the whole file is meant */
  line?: number;
  /** in bytes, counted from 1; absent: the whole line is meant */
  column?: number;
  /** of the rule, such as "missing-colon" */
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  /** what to do, the same for all findings with this code */
  advice: string;
  /** the product tokens of the crawlers for which it matters; absent: all */
  crawlers?: string[];
  /** a change that fixes it. "safe": it is proved that no verdict changes. Its edits are in bytes of the file */
  fix?: { title: string; safe: boolean; edits?: { start: number; end: number; text: string }[] };
}

/** How two files differ in what crawlers may request. */
export interface Comparison {
  /** "equal": it is proved that there is no difference */
  result: "equal" | "differs" | "undecided";
  old: string;
  new: string;
  dialect: Dialect;
  /** the file has more than the dialect reads, and the rest was not compared */
  old_truncated?: boolean;
  new_truncated?: boolean;
  /** what the file is in place of a robots.txt: an HTML page, or one JSON value */
  old_page?: "html" | "json";
  new_page?: "html" | "json";
  /** "equal" is not proved for crawlers with other product tokens than those compared: one file names a crawler that the other does not, or a chosen token is one of several of a known crawler */
  other_chains?: boolean;
  /** the files name so many crawlers that not all were compared, or are here */
  incomplete?: boolean;
  crawlers: Compared[];
  /** known crawlers by their purpose; empty if some crawlers were chosen */
  purposes: ComparedPurpose[];
  /** what the blocks do that a CDN adds; absent if no file has one */
  managed?: unknown;
  /** about the use of content, for URLs that may be fetched by both files; absent if no file has one */
  preferences?: ComparedPreferences;
}

/** How preferences about the use of content differ. */
export interface ComparedPreferences {
  /** "equal": it is proved that there is no difference */
  result: "equal" | "differs" | "undecided";
  changes: ChangedPreference[];
  /** how many more changes there are, which are not listed */
  more?: number;
}

/** How a preference about one purpose differs, or may differ, for some crawlers. */
export interface ChangedPreference {
  /**
   * the crawlers of the Comparison; if a file names a purpose token such as Google-Extended, also a known crawler of the same operator,
   * which stands for all crawlers of this operator to which the same groups apply
   */
  agents: Agent[];
  /** the agents are purpose tokens, and no crawlers; only the groups that name them are compared */
  is_token?: boolean;
  purpose: string;
  result: "differs" | "undecided";
  /** a path with other preferences; absent if the result is "undecided" */
  witness?: string;
  witness_b64?: string;
  old?: Stated;
  new?: Stated;
}

/** What a file says about a page and a purpose. */
export interface Stated {
  preference: "allowed" | "disallowed" | "unknown";
  /** the lines that decide, at most 10 */
  by: { carrier: string; line: number; text: string; text_b64?: string }[];
}

/**
 * What a change means for a crawler. "shut-out": it may request nothing now, but before it could. "blocked": some URLs became
 * disallowed, and none became allowed. "opened": the opposite of "blocked". "blocked-and-opened": some URLs of each kind.
 */
export type Effect = "shut-out" | "blocked" | "blocked-and-opened" | "opened";

/** How two files differ for a crawler. */
export interface Compared {
  agent: Agent;
  /** false: sources say that it does not follow robots.txt */
  obeys?: boolean;
  /** false: sources say that it does not follow the groups for "*" */
  obeys_everyone?: boolean;
  /** "train-ai", for example: the name is a purpose token, and no crawler: only a group that names it states a preference */
  purpose_token?: string;
  /** known crawlers that are not listed, because the same groups apply to them; absent for "*" */
  same_groups?: string[];
  result: "equal" | "differs" | "undecided";
  effect?: Effect;
  /** neither file has this name: it is made up, and contains a name from each file */
  made_up?: boolean;
  old: Followed;
  new: Followed;
  /** one for each changed rule, the shortest witness first */
  changes: Change[];
  /** how many changed rules could not be compared */
  undecided?: number;
  /** more pairs of rules may decide differently than are in changes */
  more?: boolean;
  steps?: number;
}

/** Which group a crawler follows, and if it may request everything or nothing. */
export interface Followed {
  group: "own" | "*" | "none";
  everything?: "allowed" | "disallowed";
}

/** A path with another verdict in the new file: the shortest for a changed rule. */
export interface Change {
  witness: string;
  witness_b64?: string;
  old: Decided;
  new: Decided;
}

/** A verdict about a witness. */
export interface Decided {
  allowed: boolean;
  reason: Reason;
  /** absent if no rule decides */
  rule?: Rule;
}

/** What changes for the known crawlers with a purpose. */
export interface ComparedPurpose {
  purpose: string;
  /** how many crawlers were compared */
  known: number;
  changes: { result: "differs" | "undecided"; effect?: Effect; old_everything?: string; new_everything?: string; crawlers: string[] }[];
}

/** A known crawler. A fact of which no source says anything is absent. */
export interface Crawler {
  /** its product token, as its operator writes it */
  token: string;
  /** the part of the token that is read from a User-agent line, if that is not all of it; "": no line can name it */
  read_as?: string;
  /** other names that it has in its requests */
  names?: string[];
  /** who runs it */
  operator: string;
  purposes: string[];
  /** the tokens whose groups it follows, the most specific first, for {@link RobotsFile.agent}; "*" if no group can name it */
  agent: Agent;
  /** the tokens whose groups it follows, as sources say */
  chain?: string[];
  /** whether it follows robots.txt */
  obeys?: "yes" | "no";
  /** whether it follows the groups for "*". If not, the last token of `agent` is `!*`, so that it is allowed where there is no group for it */
  wildcard?: "yes" | "no";
  /** "no": it makes no requests, its token is only for robots.txt */
  crawls?: "yes" | "no";
  /** "no": it makes no requests any more */
  active?: "yes" | "no";
  /** the URL of the list of its addresses */
  ranges?: string;
  /** the domains under which the names of its addresses are */
  hosts?: string[];
  /** the records that it reads, such as "crawl-delay" */
  reads?: string[];
  /** the records that it does not read */
  ignores?: string[];
  note?: string;
  /** where the facts are from */
  source: Source;
  /** where single facts are from, by the name of their member */
  sources?: Record<string, Source>;
}

/** The page on which a fact about a crawler was read. */
export interface Source {
  url: string;
  /** whose page it is */
  by: "operator" | "others";
  /** the day on which it was read, such as "2026-11-21" */
  read: string;
  /** the date in the text of the page */
  dated?: string;
}
