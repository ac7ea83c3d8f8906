import { primaryLanguage } from '../../base/text/primary-language.ts';
import { compounds, wordSet } from './word-lists.ts';

/** Words that change what a sentence asks for, and words that never do. */
export interface DecisiveWords {
  readonly negations: ReadonlySet<string>;
  /** Days, months and other words of a date or time. */
  readonly dates: ReadonlySet<string>;
  /** Politeness and hesitations. */
  readonly courtesies: ReadonlySet<string>;
  /** A name follows them directly, or after one word. */
  readonly nameLeads: ReadonlySet<string>;
  /** All nouns are written with a capital letter, so it is no sign of a name. */
  readonly capitalNouns: boolean;
}

const ENGLISH: DecisiveWords = {
  negations: wordSet(`
    no not never none nothing nobody no-one nowhere neither nor without hardly barely cannot can't don't doesn't didn't
    won't wouldn't isn't aren't wasn't weren't shouldn't couldn't haven't hasn't hadn't mustn't needn't mightn't ain't
    nope except instead cancel`),
  dates: wordSet(`
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april may june july august september october november december today tonight tomorrow
    yesterday weekend morning afternoon evening noon midday midnight week month year first second third fourth fifth
    half quarter am pm o'clock`),
  courtesies: wordSet('please thanks thank you um uh er erm uhm hmm hm mhm well so'),
  nameLeads: wordSet('name mr mrs ms miss dr'),
  capitalNouns: false,
};

const DECISIVE_WORDS: ReadonlyMap<string, DecisiveWords> = new Map([
  ['en', ENGLISH],
  [
    'de',
    {
      negations: wordSet(`
        nein nicht nie niemals nichts niemand kein keine keinen keinem keiner keines keins nirgends kaum ohne nee ne weder außer statt
        stattdessen stornieren absagen`),
      dates: wordSet(`
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz april mai juni
        juli august september oktober november dezember heute morgen übermorgen gestern wochenende vormittag nachmittag
        mittag abend nacht früh woche monat jahr halb viertel uhr ersten zweiten dritten vierten fünften
        ${compounds('montag dienstag mittwoch donnerstag freitag samstag sonntag', 's abend morgen nachmittag')}`),
      courtesies: wordSet('bitte danke dankeschön äh ähm öh hm hmm mhm also tja'),
      nameLeads: wordSet('name heiße herr frau doktor familie'),
      capitalNouns: true,
    },
  ],
  [
    'fr',
    {
      negations: wordSet('non pas ne jamais rien personne aucun aucune ni sans sauf plutôt annuler'),
      dates: wordSet(`
        lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre
        octobre novembre décembre aujourd'hui demain hier après-demain soir matin midi minuit après-midi week-end semaine
        mois année premier demie quart heure heures`),
      courtesies: wordSet("s'il vous plaît plait te merci euh heu hum ben bah alors"),
      nameLeads: wordSet('nom appelle monsieur madame mademoiselle docteur'),
      capitalNouns: false,
    },
  ],
  [
    'es',
    {
      negations: wordSet('no nunca jamás nada nadie ningún ninguno ninguna ni sin tampoco excepto salvo cancelar'),
      dates: wordSet(`
        lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto
        septiembre octubre noviembre diciembre hoy mañana ayer pasado tarde noche mediodía medianoche semana mes año
        primero media cuarto hora horas`),
      courtesies: wordSet('por favor gracias eh em este pues'),
      nameLeads: wordSet('nombre llamo señor señora señorita doctor doctora'),
      capitalNouns: false,
    },
  ],
  [
    'it',
    {
      negations: wordSet('no non mai niente nulla nessuno nessuna né senza neanche nemmeno tranne annullare disdire'),
      dates: wordSet(`
        lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno luglio
        agosto settembre ottobre novembre dicembre oggi domani ieri dopodomani mattina pomeriggio sera stasera notte
        mezzogiorno mezzanotte settimana mese anno primo mezza mezzo quarto ora ore`),
      courtesies: wordSet('per favore grazie piacere ehm eh mmm allora'),
      nameLeads: wordSet('nome chiamo signor signora signorina dottor dottoressa'),
      capitalNouns: false,
    },
  ],
  [
    'pt',
    {
      negations: wordSet('não nunca jamais nada ninguém nenhum nenhuma nem sem exceto salvo cancelar'),
      dates: wordSet(`
        segunda terça quarta quinta sexta segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo
        janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro hoje amanhã ontem manhã
        tarde noite meio-dia meia-noite semana mês ano primeiro meia hora horas`),
      courtesies: wordSet('por favor obrigado obrigada hum eh ahn então'),
      nameLeads: wordSet('nome chamo senhor senhora doutor doutora'),
      capitalNouns: false,
    },
  ],
  [
    'nl',
    {
      negations: wordSet(
        'nee niet nooit niets niks niemand geen nergens nauwelijks zonder noch behalve annuleren afzeggen',
      ),
      dates: wordSet(`
        maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart april mei juni juli augustus
        september oktober november december vandaag morgen overmorgen gisteren ochtend middag avond vanavond nacht weekend
        week maand jaar eerste half kwart uur`),
      courtesies: wordSet('alstublieft alsjeblieft graag dank bedankt eh ehm uh hm nou'),
      nameLeads: wordSet('naam heet meneer mevrouw dokter'),
      capitalNouns: false,
    },
  ],
]);

/** The words of a BCP 47 tag. An unknown language gets the English ones. */
export function decisiveWords(tag: string): DecisiveWords {
  return DECISIVE_WORDS.get(primaryLanguage(tag)) ?? ENGLISH;
}
