import { primaryLanguage } from '../../base/text/primary-language.ts';
import { consistsOfPhrases } from './phrase-matching.ts';
import { matchesAnyPhrase } from './phrase-pattern.ts';
import { phraseSet } from './word-lists.ts';

/** How a user refuses the recording of the call. */
interface RefusalWords {
  /** The whole answer to the announcement consists of these phrases. */
  readonly answers: ReadonlySet<string>;
  /** Phrase patterns (`phrase-pattern.ts`) that name the recording. Later the same words may concern an order or a contact. */
  readonly requests: readonly string[];
  /** Phrase patterns that only mean the recording of this call: they refuse it at any time. */
  readonly withdrawals: readonly string[];
  /** Phrase patterns of words that refuse nothing: the opposite («don't stop the recording»), or the registration of something. */
  readonly exceptions: readonly string[];
}

const ENGLISH: RefusalWords = {
  answers: phraseSet(`
    no, nope, no thanks, no thank you, please no, no please, please don't, i don't, i do not, i'd rather not,
    i would rather not, rather not, i don't want that, i do not want that, i don't agree, i do not agree, i disagree,
    i don't consent, i do not consent, i refuse, i decline, i object, not okay`),
  requests: [
    "don't|not|never record",
    "don't|not want … recorded|recording",
    'not … be recorded',
    'no recording',
    'without recording',
    'stop recording',
    'stop the recording',
    'turn off the recording',
    'turn the recording off',
    'delete the recording',
    'object to … recording|recorded',
    "don't|not consent|agree to|with … recording|recorded",
  ],
  withdrawals: [
    'stop recording',
    'stop|delete the|this recording',
    'turn|switch off the|this recording',
    'turn|switch the|this recording off',
    "don't record me|this",
    'do not record me|this',
    "don't|not want to be recorded",
    "don't|not want this recorded",
    "don't|not want this to be recorded",
    "don't|not want this|the|our|my call|conversation recorded",
    "don't|not want this|the|our|my call|conversation to be recorded",
    'object to the|this recording',
    'object to being recorded',
    'withdraw|revoke my consent to the|this recording',
  ],
  exceptions: ["don't|not|never|can't|cannot|didn't|doesn't stop|delete|turn|switch|object"],
};

const REFUSALS: ReadonlyMap<string, RefusalWords> = new Map([
  ['en', ENGLISH],
  [
    'de',
    {
      answers: phraseSet(`
        nein, nee, nö, nein danke, bitte nicht, nein bitte nicht, lieber nicht, das möchte ich nicht, ich möchte das nicht,
        das will ich nicht, ich will das nicht, auf keinen fall, nicht einverstanden, ich bin nicht einverstanden,
        ich stimme nicht zu, ich stimme dem nicht zu, ich widerspreche, ich widerspreche dem, ich lehne ab, ich lehne das ab`),
      requests: [
        'nicht … aufgezeichnet|aufgenommen|mitgeschnitten',
        'nicht aufzeichnen|aufnehmen|mitschneiden',
        'keine aufzeichnung|aufnahme',
        'ohne aufzeichnung|aufnahme',
        'aufzeichnung|aufnahme … stoppen|beenden|ausschalten|abschalten|löschen|aus',
        'widerspreche der aufzeichnung|aufnahme',
        'aufzeichnung|aufnahme nicht',
      ],
      withdrawals: [
        'aufzeichnung|aufnahme stoppen|beenden|ausschalten|abschalten|löschen',
        'aufzeichnung|aufnahme bitte|sofort|jetzt|wieder stoppen|beenden|ausschalten|abschalten|löschen',
        'stoppen|beenden|löschen sie die|diese aufzeichnung|aufnahme',
        'schalten sie die|diese aufzeichnung|aufnahme ab|aus',
        'widerspreche der|dieser aufzeichnung|aufnahme',
        'zeichnen sie das|dies|mich nicht auf',
        'zeichnen|nehmen sie das|dieses gespräch|telefonat nicht auf',
        'schneiden sie das|dies nicht mit',
        'bitte nicht aufzeichnen|mitschneiden',
        'möchte|will nicht aufgezeichnet|aufgenommen werden',
        'möchte|will nicht dass das|dieses gespräch aufgezeichnet|aufgenommen|mitgeschnitten wird',
        'hören sie auf aufzuzeichnen|mitzuschneiden',
      ],
      exceptions: [
        'stoppen|beenden|löschen sie die|diese aufzeichnung|aufnahme nicht',
        'nicht die aufzeichnung|aufnahme',
      ],
    },
  ],
  [
    'fr',
    {
      answers: phraseSet(`
        non, non merci, surtout pas, pas d'accord, je ne suis pas d'accord, je suis pas d'accord, je ne veux pas, je veux pas,
        je préfère pas, je ne préfère pas, je préfère que non, je refuse, je m'y oppose, je m'oppose`),
      requests: [
        'pas … enregistrer|enregistrez|enregistré|enregistrée|enregistrés',
        "pas … l'enregistrement|d'enregistrement",
        "n'enregistrez pas",
        'sans enregistrement|enregistrer',
        "arrêtez|arrêter|coupez|stoppez l'enregistrement",
        "refuse l'enregistrement|d'être … enregistré|enregistrée",
        "m'oppose à l'enregistrement",
      ],
      withdrawals: [
        "arrêtez|arrêter|coupez|couper|stoppez|supprimez|effacez l'enregistrement",
        'arrêtez|arrêter|coupez|couper|stoppez|supprimez|effacez cet enregistrement',
        "arrêtez d'enregistrer",
        "arrêtez de m'enregistrer",
        "je refuse l'enregistrement",
        "je refuse d'être enregistré|enregistrée",
        "m'oppose à l'enregistrement",
        "ne m'enregistrez pas",
        "n'enregistrez pas cet|l'appel",
        "n'enregistrez pas cette|la|notre conversation",
        'veux|souhaite|voudrais pas être enregistré|enregistrée',
      ],
      exceptions: [
        'pas arrêter|couper',
        "l'enregistrement de mon|ma|mes|votre",
        "l'enregistrement du|des",
        'enregistré|enregistrée dans|sur votre|vos|le|la|les|un|une',
        'enregistré|enregistrée comme|chez|auprès',
      ],
    },
  ],
  [
    'es',
    {
      answers: phraseSet(`
        no, no gracias, no por favor, no quiero, no lo quiero, no acepto, no lo acepto, no estoy de acuerdo, prefiero que no,
        mejor no, me niego, me opongo, de ninguna manera`),
      requests: [
        'no … grabe|graben|grabes|grabar|graba|grabada|grabado|grabación',
        'sin grabar|grabación',
        'deje|dejen|deja de grabar',
        'pare|paren|detenga|detengan la grabación',
      ],
      withdrawals: [
        'deje|dejen|deja de grabar|grabarme',
        'pare|paren|detenga|detengan|apague|apaguen|borre|borren la|esta grabación',
        'no me grabe|graben|grabes',
        'no grabe|graben esta|la llamada|conversación',
        'no quiero que me grabe|graben',
        'no quiero que se grabe esta|la llamada|conversación',
        'no quiero ser grabado|grabada',
        'me opongo a la|esta grabación',
      ],
      exceptions: [],
    },
  ],
  [
    'it',
    {
      answers: phraseSet(`
        no, no grazie, no per favore, non voglio, non lo voglio, non accetto, non sono d'accordo, preferisco di no, meglio di no,
        mi rifiuto, mi oppongo, assolutamente no`),
      requests: [
        'non … registrare|registri|registrate|registrato|registrata|registrazione',
        'senza registrare|registrazione',
        'smetta|smettete|smetti di registrare',
        'interrompa|interrompete|fermi|fermate la registrazione',
      ],
      withdrawals: [
        'smetta|smettete|smetti di registrare|registrarmi',
        'interrompa|interrompete|fermi|fermate|spenga|spegnete la|questa registrazione',
        'non mi registri|registrate',
        'non registri|registrate questa|la telefonata|chiamata|conversazione',
        'non voglio essere registrato|registrata',
        'mi oppongo alla registrazione',
        'rifiuto la registrazione',
      ],
      exceptions: ['registrato|registrata su|sul|sulla|nel|nella|come|al', 'registrazione al|sul|del'],
    },
  ],
  [
    'pt',
    {
      answers: phraseSet(`
        não, não obrigado, não obrigada, não por favor, não quero, não aceito, não concordo, não estou de acordo, prefiro que não,
        prefiro não, melhor não, recuso, eu recuso, me recuso, recuso-me, de jeito nenhum`),
      requests: [
        'não … gravar|grave|gravem|grava|gravado|gravada|gravação',
        'sem gravar|gravação',
        'pare|parem|para de gravar',
        'pare|parem|interrompa|desligue a gravação',
      ],
      withdrawals: [
        'pare|parem de gravar',
        'pare|parem de me gravar',
        'pare|parem|interrompa|interrompam|desligue|desliguem|apague|apaguem a|esta gravação',
        'não me grave|gravem',
        'não grave|gravem esta|a chamada|ligação|conversa',
        'não quero ser gravado|gravada',
        'não quero que me grave|gravem',
        'não quero que grave|gravem esta|a chamada|ligação|conversa',
        'oponho-me à gravação',
        'recuso a|esta gravação',
      ],
      exceptions: [],
    },
  ],
  [
    'nl',
    {
      answers: phraseSet(`
        nee, nee bedankt, nee dank u, nee dank je, liever niet, nee liever niet, dat wil ik niet, ik wil dat niet, niet akkoord,
        ik ga niet akkoord, ik ga daar niet mee akkoord, ik weiger, ik maak bezwaar`),
      requests: [
        'niet … opnemen|opgenomen|opneemt|opname',
        'geen opname|opnames',
        'zonder opname|opnemen',
        'stop de|het opname|opnemen',
        'stop met opnemen',
        'bezwaar tegen … opname|opnemen',
      ],
      withdrawals: [
        'stop met opnemen',
        'stop de|deze opname',
        'zet de|deze opname uit|stop',
        'verwijder|wis de|deze opname',
        'opname stoppen|stopzetten|uitzetten|wissen',
        'neem mij|me niet op',
        'neem dit|het gesprek niet op',
        'wil niet opgenomen worden',
        'wil niet dat dit|het gesprek wordt opgenomen',
        'wil niet dat dit|het gesprek opgenomen wordt',
        'wil niet dat dit wordt opgenomen',
        'wil niet dat dit opgenomen wordt',
        'bezwaar tegen de|deze opname',
      ],
      exceptions: ['stop|verwijder|wis de|deze opname niet', 'opgenomen worden in'],
    },
  ],
]);

/**
 * Whether the words, as `wordsOf` returns them, refuse the recording.
 *
 * @param isAnswer they are the first words after the announcement: a mere «no» refuses, and so does what names any recording
 * @param tag BCP 47, of the words. An unknown language gets the English words
 */
export function refusesRecording(words: readonly string[], tag: string, isAnswer: boolean): boolean {
  const { requests, withdrawals, exceptions } = refusalWords(tag);
  if (isAnswer && isMereNo(words, tag)) return true;
  if (matchesAnyPhrase(words, exceptions)) return false;
  return matchesAnyPhrase(words, withdrawals) || (isAnswer && matchesAnyPhrase(words, requests));
}

/** Whether the words only say no, without naming the recording. */
export function isMereNo(words: readonly string[], tag: string): boolean {
  return words.length > 0 && consistsOfPhrases(words, refusalWords(tag).answers);
}

function refusalWords(tag: string): RefusalWords {
  return REFUSALS.get(primaryLanguage(tag)) ?? ENGLISH;
}
