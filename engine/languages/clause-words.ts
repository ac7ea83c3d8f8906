/** The kinds of values that a user can dictate. */
export type EntityKind = 'phone' | 'email' | 'spelling' | 'date' | 'birth_date' | 'postcode' | 'reference' | 'address';

/**
 * How one language leaves a sentence open, and how its speakers announce a dictation. Words and phrases are in lower
 * case and without punctuation, as `wordsOf` returns them.
 */
export interface ClauseWords {
  /** Words that end no sentence, even before a full stop: articles, conjunctions, hesitations. */
  readonly open: ReadonlySet<string>;
  /** Words that leave a sentence open; with a full stop after them it is in doubt: prepositions, forms of «be». */
  readonly mostlyOpen: ReadonlySet<string>;
  /** Words that leave a sentence open only without a full stop: modal verbs, pronouns, adverbs before a noun. */
  readonly openUnmarked: ReadonlySet<string>;
  /** Endings of two words and more that leave a sentence open. */
  readonly openEndings: ReadonlySet<string>;
  /** Verbs of speech at the end, which open what was said, except in a relative clause («what they told me»). */
  readonly reportEndings: ReadonlySet<string>;
  /** Endings that are whole although their last words are open («log in»). */
  readonly closedEndings: ReadonlySet<string>;
  /** Verb forms that need an object, unless a full stop follows. */
  readonly objectVerbs: ReadonlySet<string>;
  /** A subordinate clause and an infinitive end in their verb («ob ich kommen kann»). */
  readonly verbFinal: boolean;
  /** Words that look like prepositions and close a sentence after one of `particleVerbs` («ich rufe später an»). */
  readonly particles: ReadonlySet<string>;
  readonly particleVerbs: ReadonlySet<string>;
  readonly questionWords: ReadonlySet<string>;
  /** Auxiliary and modal verbs. Beside a pronoun at the end they leave a sentence open («can you», «ich möchte»). */
  readonly auxiliaries: ReadonlySet<string>;
  readonly pronouns: ReadonlySet<string>;
  /** Words that open a clause which needs a main clause («if»). */
  readonly clauseOpeners: ReadonlySet<string>;
  /** Phrases that begin a main clause after such a clause, beside an auxiliary with its pronoun. */
  readonly mainClauseStarts: ReadonlySet<string>;
  /** Words before the first clause: greetings, «yes», «and», «well». */
  readonly leadWords: ReadonlySet<string>;
  /** Phrases that close a request («please», «thank you»). */
  readonly closings: ReadonlySet<string>;
  readonly phrases: PhraseWords;
  readonly spoken: SpokenWords;
  readonly dictationLeads: DictationLeads;
}

/** Function words by which an unfinished noun phrase or subject is recognised. */
export interface PhraseWords {
  /** Articles and possessives, which a noun follows. */
  readonly determiners: ReadonlySet<string>;
  /** Words that are articles before a noun, and pronouns without one. */
  readonly pronounArticles: ReadonlySet<string>;
  /** Question words that ask for the object of the verb at the end («what do you need»). */
  readonly objectQuestions: ReadonlySet<string>;
  /** Subordinating conjunctions: a subject and its verb follow. */
  readonly conjunctions: ReadonlySet<string>;
  /** Relative pronouns that follow a subject. */
  readonly relatives: ReadonlySet<string>;
  /** Pronouns of a subject that lacks its verb at the end («my wife and I»). */
  readonly firstPersons: ReadonlySet<string>;
  /** Adverbs before an adjective («very»). */
  readonly degrees: ReadonlySet<string>;
  /** The adjective comes before its noun. */
  readonly adjectiveFirst: boolean;
  /** Prepositions that a question may end in («who am I speaking to»). */
  readonly stranded: ReadonlySet<string>;
  readonly prepositions: ReadonlySet<string>;
  /** Adverbs that may come before or after a subject. */
  readonly adverbs: ReadonlySet<string>;
  /** Adverbs between a modal verb and the verb that it needs («can you also»). */
  readonly softeners: ReadonlySet<string>;
  /** Endings of participles, where a conjunction is also a pronoun («informed that»). */
  readonly participleEndings: readonly string[];
  /** Frequent adjectives and ordinals. */
  readonly adjectives: ReadonlySet<string>;
  /** Nouns that say when; with them a noun phrase is no subject. */
  readonly timeNouns: ReadonlySet<string>;
  /** `pronounArticles` that come before a noun more often than before a verb. */
  readonly articles: ReadonlySet<string>;
  readonly indefinites: ReadonlySet<string>;
  /** Endings of the verbs after `articles` that are pronouns («la llamo»). */
  readonly verbEndings: readonly string[];
  /** Endings of the second part of a compound noun; empty where compounds are one word. */
  readonly nounEndings: readonly string[];
  /** Words that stand for a noun phrase or close one («one», «please»): no nouns of a subject. */
  readonly pronominal: ReadonlySet<string>;
  /** Verbs that an address follows. */
  readonly residenceVerbs: ReadonlySet<string>;
  /** Determiners of the subject after the auxiliary that begins a question («could the»); empty where it also begins statements. */
  readonly subjectDeterminers: ReadonlySet<string>;
  /** Modal verbs whose infinitive comes last; empty where it follows them. */
  readonly modals: ReadonlySet<string>;
  /** Modal verbs that have no object without an infinitive («ich muss meinen»); empty where the infinitive follows them. */
  readonly objectModals: ReadonlySet<string>;
  /** Modal verbs with which the user wants a thing, or something done with a thing that is the user's («ich möchte meinen»). */
  readonly wishModals: ReadonlySet<string>;
  /** Object pronouns: after the auxiliary of a participle that comes last («hat mir»), or before their verb («me»). */
  readonly objectPronouns: ReadonlySet<string>;
  /** Words for people that come before a name, or after an article as nouns. */
  readonly titles: ReadonlySet<string>;
  /** Verbs whose relative clause names the thing itself («the one that I want»). */
  readonly wishVerbs: ReadonlySet<string>;
  /** Verbs that need more than their subject, which follows them («doet mijn internet»). */
  readonly lightVerbs: ReadonlySet<string>;
  /** Words of an agent's question that leaves the answer open («How may I help you?», «What happened?»). */
  readonly helpWords: ReadonlySet<string>;
}

/** Words by which a sentence that its speaker breaks off or plans aloud is recognised. */
export interface SpokenWords {
  /** Phrases that gain time before a sentence («I mean», «well»). */
  readonly hesitations: ReadonlySet<string>;
  /** Words of a past time, with which a story begins («yesterday»). */
  readonly pastWords: ReadonlySet<string>;
  /** Phrases that ask the listener to wait («hold on»). */
  readonly holds: ReadonlySet<string>;
  /** First words of a sentence in which the user looks for the answer («let me check»), without `softeners`. */
  readonly searches: ReadonlySet<string>;
  /** Phrases that take words back, next to one of `holds` («no», «sorry»). */
  readonly retractions: ReadonlySet<string>;
  /** Pronouns of the speaker as the subject. */
  readonly speakers: ReadonlySet<string>;
  /** Words before a question word that may then end its sentence («I don't know when»). */
  readonly negations: ReadonlySet<string>;
  /** Pronouns for an unknown person: subjects («that somebody»). */
  readonly indefinitePersons: ReadonlySet<string>;
  /** Negations that are the object of their verb («rien»). */
  readonly negativeObjects: ReadonlySet<string>;
  /** Objects that an apostrophe joins to their auxiliary («je l'ai»), without it. */
  readonly elidedObjects: ReadonlySet<string>;
  /** Auxiliaries of a perfect tense that need a participle or an object («hat»). */
  readonly perfectAuxiliaries: ReadonlySet<string>;
  /** Present forms of «be», which need a participle beside a past time («wir sind gestern»); empty without such a tense. */
  readonly perfectCopulas: ReadonlySet<string>;
  /** Those of `perfectAuxiliaries` whose verb has the speaker as its subject («ho»). */
  readonly firstPersonAuxiliaries: ReadonlySet<string>;
  /** Endings of verbs in the conditional, which need an object or a clause («vous auriez»); empty without one. */
  readonly conditionalEndings: readonly string[];
  /** Endings of verbs that have the speaker as their subject where its pronoun is left out («llegué»). */
  readonly firstPersonEndings: readonly string[];
  /** Verbs whose subject says what follows («the letter says»). */
  readonly quoteVerbs: ReadonlySet<string>;
  /** Verbs whose subject is the text that follows («da steht»). */
  readonly displayVerbs: ReadonlySet<string>;
  /** Participles that what was said follows («a note asking»); empty where clauses take their place. */
  readonly speechParticiples: ReadonlySet<string>;
  /** Auxiliaries before such a participle that is the verb of the sentence («estoy diciendo»), besides forms of «be». */
  readonly progressives: ReadonlySet<string>;
  /** Words of a wish that need a verb after their negation («I'd rather not»). */
  readonly wishes: ReadonlySet<string>;
  /** Subjects that stand for nothing («it», «da»). */
  readonly impersonals: ReadonlySet<string>;
}

/** How a dictation is announced, and the forms that it has. */
export interface DictationLeads {
  /** Names of what is dictated, in questions and before `copulas` («phone number»). */
  readonly topics: Readonly<Partial<Record<EntityKind, ReadonlySet<string>>>>;
  /** Words between a topic and its dictation («is»). */
  readonly copulas: ReadonlySet<string>;
  /** Phrases right before a dictation («you can reach me at»). */
  readonly leadIns: Readonly<Partial<Record<EntityKind, ReadonlySet<string>>>>;
  /** Words after a copula that begin a statement instead of a dictation («wrong»). */
  readonly statements: ReadonlySet<string>;
  /** First words of a question that only «yes» or «no» answers («is this your number?»). */
  readonly confirmations: ReadonlySet<string>;
  readonly months: ReadonlySet<string>;
  /** Ordinals that name a day or a month («the third», «am vierten»). */
  readonly ordinals: ReadonlySet<string>;
  /** Number words that form one number with the digit after them («twenty five»). */
  readonly tens: ReadonlySet<string>;
  readonly phoneDigits: PhoneDigits;
  readonly postcodeDigits: number;
  /** Digits of the shortest one in a country of the language (Austria, Switzerland). */
  readonly postcodeDigitsLeast: number;
  /** Letters that may follow those digits; 0 without any. */
  readonly postcodeLetters: number;
}

/** Length of national phone numbers. */
export interface PhoneDigits {
  /** A shorter number is incomplete. */
  readonly least: number;
  /** A number of this length is complete if it begins with 0 or 1. */
  readonly most: number;
  /** The same, for other first digits. */
  readonly mostOther: number;
}
