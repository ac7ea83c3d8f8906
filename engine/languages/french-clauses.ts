import type { ClauseWords } from './clause-words.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const FRENCH_CLAUSES: ClauseWords = {
  open: wordSet(`
    et ou ni mais car donc or puis parce puisque que lorsque dont le la les un une des du de au aux ce cet cette ces
    mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs chaque quelques plusieurs quel quelle quels
    quelles à dans par pour en vers avec sans sous sur chez entre contre depuis pendant jusqu'à jusqu'au dès selon
    malgré c'est c'était est-ce qu'est-ce je j'ai j'aimerais j'avais j'étais j'aurais qu'il qu'elle qu'on euh heu
    euhm hum monsieur madame très n'ai n'a n'est n'ont n'avons n'avez n'avait n'avais n'était n'étais`),
  mostlyOpen: wordSet("est sont suis était sera serait si comme on il me te se ne appelle m'appelle"),
  openUnmarked: wordSet(`
    ai as a avons avez ont avait peux peut pouvez pouvons pourrais pourriez pourrait veux veut voulez voudrais
    voudrait dois doit devez faut faudrait quand alors où qui quoi elle ils nous y lui leur ben bah enfin genre
    aussi comment combien pourquoi besoin peuvent pouvais pouvait pouvaient pourrions pourraient voulons veulent
    voulais voulait voulaient voudrions voudriez devons doivent devais devait devaient devrais devrait devrions
    devriez devraient avais avions avaient aurais aurait vais allons allez m'a m'ont m'avez m'avait t'a s'est
    s'était serais seriez ait soit puisse`),
  openEndings: phraseSet(`
    je voudrais, j'aimerais bien, je souhaite, je souhaiterais, j'ai besoin, j'ai besoin de, j'aurais besoin, j'ai
    un, j'ai une, je cherche, je veux, je dois, je peux, je suis, je vais, je viens de, je ne, est-ce que, est-ce
    que je, est-ce que vous, est-ce que c'est, est-ce qu'il, est-ce qu'on, parce que, parce qu'il, afin de, à partir
    de, à cause de, au lieu de, en fait, c'est que, ce que, ce qui, celui que, celle que, pouvez-vous, pouvez-vous
    me, pourriez-vous, pourriez-vous me, vous pouvez, vous pouvez me, vous pourriez me, puis-je, je m'appelle, mon
    nom est, mon problème c'est, le problème c'est, le problème est, la question c'est, j'appelle pour, j'appelle
    parce, je vous appelle pour, je vous appelle, je vous appelle parce, c'est pour, c'est à, il y a, il y avait, y
    a-t-il, y a, avez-vous, je pense que, je crois que, je pense, je crois, dire si, savoir si, savoir quand, savoir
    combien, je voulais, je voulais savoir, je me demandais si, près de, à côté de, avant de, après avoir, au sujet
    de, concernant, il faudrait, il faut, tout de, un peu de, une sorte de, le numéro est, serait-il possible, c'est
    possible de, est-il possible, on peut, je l'ai, je me demandais, est-ce qu'il y a, est-ce qu'il y aurait, est-ce
    que vous avez, combien coûte, combien coûtent, j'essaie, j'essaie de, j'essaye, j'essaye de, c'est le docteur, c'est docteur, je pourrais, est-ce
    que je pourrais, et autre chose, encore une chose, qu'il serait possible, d'un nouveau`),
  reportEndings: phraseSet(`
    je voulais dire, je veux dire, m'a dit, m'ont dit, m'avait dit, m'avez dit, m'aviez dit, m'a demandé`),
  closedEndings: phraseSet(`
    je ne sais pas, je crois que oui, je pense que oui, je crois que non, je sais, oui je peux, oui je veux, oui
    j'ai, oui c'est ça, c'est où, c'est quand, c'est qui, c'est quoi, c'est combien, il est où, vous êtes où, est
    où, ça coûte combien, je vais bien, oui je suis, non je ne peux, j'en ai, j'y suis, on y va, allez-y, vas-y, moi
    aussi, lui aussi, vous aussi, oui il y en a, qu'il y a, ce qu'il y a, qu'est-ce qu'il y a, si on peut, si je
    peux, comme il faut, il en faut, quand je peux, quand on peut, quand vous pouvez, si vous voulez, si vous
    pouvez, comme vous voulez, s'il y en a, qui est-ce, où est-ce, quand est-ce, est-ce que c'est où, qu'est-ce que
    c'est, quand vous voulez`),
  objectVerbs: wordSet(`
    cherche souhaite voudrais réserver acheter commander changer faire avoir prendre donner envoyer mettre trouver
    recevoir réserve prends commande demander apporter modifier confirmer ajouter obtenir`),
  verbFinal: false,
  particles: wordSet(''),
  particleVerbs: wordSet(''),
  questionWords: wordSet('quoi qui où quand comment combien pourquoi quel quelle quels quelles'),
  auxiliaries: wordSet(`
    est suis peux peut pouvez pouvons pourrais pourriez pourrait veux veut voulez voudrais voudrait dois doit
    devez ai avez a avons vais va allez puis peuvent pouvais pouvait pouvaient pourrions pourraient voulons
    veulent voulais voulait voulaient voudrions voudriez devons doivent devais devait devaient devrais devrait
    devrions devriez devraient avais avait avions avaient aurais aurait vas allons vont allais allait serais
    seriez ait soit puisse`),
  pronouns: wordSet('je vous tu il elle on nous ils elles'),
  clauseOpeners: phraseSet(`
    si, quand, lorsque, dès que, s'il, s'ils, si jamais, au cas où, avant que, après que, pendant que, tant que,
    même si, une fois que, bien que, puisque, à moins que, aussitôt que`),
  mainClauseStarts: phraseSet(`
    je, j'ai, j'aimerais, je voudrais, alors, est-ce que, est-ce, c'est, ça, ce sera, ce serait, pouvez-vous,
    puis-je, pourriez-vous, il faut, il faudrait, on peut, on va, vous pouvez, vous pourriez, appelez-moi,
    dites-moi, prévenez-moi, envoyez, il y a, quel, quelle, comment, combien, merci de, autant, j'y, j'en, j'irai,
    il vaut, il faudra, rappelez`),
  leadWords: wordSet(`
    oui non ouais ok d'accord bon ben bah alors et mais oh ah bonjour bonsoir salut pardon euh voilà merci
    excusez-moi donc parce que ou enfin écoutez en fait seulement`),
  closings: phraseSet(`
    s'il vous plaît, s'il te plaît, merci, merci beaucoup, merci bien, c'est tout, voilà, si possible, au revoir,
    bonne journée, si vous voulez bien, si c'est possible, si ça ne vous dérange pas`),
  phrases: {
    determiners: wordSet('l un une mon ma mes notre nos votre vos son sa ses ce cette'),
    pronounArticles: wordSet('le la les des'),
    objectQuestions: wordSet('que quoi quel quelle quels quelles'),
    conjunctions: wordSet('que parce si'),
    relatives: wordSet('qui que dont où laquelle lequel lesquels'),
    firstPersons: wordSet('moi'),
    degrees: wordSet('très trop assez plutôt'),
    adjectiveFirst: false,
    stranded: wordSet(''),
    prepositions: wordSet(`
    de du des d à au aux en dans par pour avec sans sous sur chez depuis entre contre pendant jusqu'à dès`),
    adverbs: wordSet(`
    hier aujourd'hui demain maintenant normalement actuellement récemment toujours apparemment malheureusement
    avant-hier`),
    softeners: wordSet(`
    aussi peut-être encore juste éventuellement seulement plutôt déjà vraiment toujours malheureusement`),
    participleEndings: [],
    adjectives: wordSet(`
    dernier dernière derniers prochain prochaine nouveau nouvelle vieux vieille premier première deuxième autre même
    petit petite grand grande deux trois passé passée`),
    timeNouns: wordSet(`
    lundi mardi mercredi jeudi vendredi samedi dimanche semaine mois année an jour matin soir après-midi midi
    nuit week-end fois moment heure semaines ans années jours heures minutes minute`),
    articles: wordSet('le la les l'),
    indefinites: wordSet('un une'),
    verbEndings: [],
    nounEndings: [],
    pronominal: wordSet('même pas plus tout rien ici là celui celle'),
    residenceVerbs: wordSet("j'habite habite habitons réside demeure vis"),
    subjectDeterminers: wordSet(''),
    modals: wordSet(''),
    objectModals: wordSet(''),
    wishModals: wordSet(''),
    objectPronouns: wordSet(`
    me te se le la les lui leur y en`),
    titles: wordSet('monsieur madame'),
    wishVerbs: wordSet('veux voulais cherche préfère aime'),
    lightVerbs: wordSet(''),
    helpWords: wordSet('aider faire passé arrivé'),
  },
  spoken: {
    hesitations: phraseSet(`
    bon, ben, bah, bon ben, alors, alors voilà, en fait, enfin, écoutez, voyez-vous, vous voyez, vous savez, je
    veux dire, disons, du coup, donc, eh bien, voilà, le problème c'est, le truc c'est`),
    pastWords: wordSet('hier avant-hier dernier dernière passé passée récemment'),
    holds: phraseSet(`
    attendez, attends, un instant, une seconde, un moment, une minute, deux secondes, minute, attendez voir, deux
    minutes, une petite seconde, petite seconde, un petit instant, une petite minute`),
    searches: phraseSet(`
    laissez-moi, je regarde, je vais regarder, je vais voir, je vais chercher, je vais vérifier, je vérifie, je
    réfléchis, il faut que je regarde, il faut que je vérifie, il faut que je cherche, que je regarde, que je
    vérifie, je prends ma, je prends mon, je cherche le, je cherche la, je cherche mon, je cherche ma`),
    retractions: phraseSet(`
    non, pardon, excusez-moi, désolé, désolée, en fait, enfin, plutôt, je veux dire, je me trompe, c'est faux,
    ou plutôt`),
    speakers: wordSet('je nous on'),
    negations: wordSet(`
    ne pas n'ai jamais aucune personne rien`),
    indefinitePersons: wordSet("quelqu'un personne"),
    negativeObjects: wordSet('rien aucun aucune'),
    elidedObjects: wordSet('l m t s d qu c'),
    perfectAuxiliaries: wordSet('ai as a avons avez ont avais avait avions avaient'),
    perfectCopulas: wordSet(''),
    firstPersonAuxiliaries: wordSet(''),
    conditionalEndings: ['rais', 'riez', 'rions', 'raient', 'rait'],
    firstPersonEndings: [],
    quoteVerbs: phraseSet('dit, indique, affiche'),
    displayVerbs: phraseSet("il est écrit, c'est écrit, est écrit, est marqué, c'est marqué, il est marqué, apparaît"),
    speechParticiples: phraseSet('disant, demandant, expliquant, indiquant, précisant'),
    progressives: wordSet(''),
    wishes: phraseSet('préférerais, préférerions, voudrais, voudrions, aimerais, aimerions'),
    impersonals: wordSet(`
    ça il ici là on cela`),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    numéro de téléphone, téléphone, numéro de portable, portable, numéro, mobile, numéro de mobile, fixe, indicatif`),
      email: phraseSet(`
    e-mail, email, mail, adresse mail, adresse e-mail, adresse email, adresse électronique, courriel, adresse
    courriel`),
      spelling: phraseSet("épeler, s'écrit, ça s'écrit, épelez, l'épeler, épelle"),
      birth_date: phraseSet(`
    date de naissance, anniversaire, né le, née le, êtes-vous né, êtes-vous née, né, née`),
      date: phraseSet('date, quel jour'),
      postcode: phraseSet('code postal'),
      reference: phraseSet(`
    numéro de client, numéro client, numéro de commande, numéro de compte, numéro de référence, référence, numéro de
    réservation, code de réservation, numéro de facture, numéro de contrat, numéro de dossier, dossier, numéro de
    carte, carte bancaire, iban, numéro de suivi, numéro de série, code, immatriculation, plaque, numéro de sécurité
    sociale, sécurité sociale, identifiant, numéro d'adhérent, numéro fiscal, numéro de billet, relevé`),
      address: phraseSet('adresse, adresse postale, rue'),
    },
    copulas: wordSet("est c'est le la sera serait finit commence alors"),
    leadIns: {
      phone: phraseSet(`
    me joindre au, joindre au, me rappeler au, rappeler au, rappelez-moi au, appelez-moi au, joignable au, au numéro`),
      email: phraseSet(`
    mon mail, mon e-mail, mon email, mon adresse mail, écrire à, envoyer à, envoyez-le à, mon courriel`),
      spelling: phraseSet(`
    s'écrit, ça s'écrit, je l'épelle, je vous l'épelle, j'épelle, ça s'épelle, s'épelle, je vous épelle`),
    },
    statements: wordSet(`
    pas plus faux fausse bon bonne incorrect incorrecte même toujours déjà dans sur différent différente plein
    jamais trop aussi nouveau nouvelle ancien inconnu inconnue ici où celui celle que piraté piratée bloqué bloquée
    cassé cassée mort perdu perdue volé volée`),
    confirmations: wordSet("est est-ce c'est sont était a avez-vous"),
    months: wordSet(`
    janvier février mars avril mai juin juillet août aout septembre octobre novembre décembre`),
    ordinals: wordSet('premier première 1er'),
    tens: wordSet(`
    dix vingt vingts trente quarante cinquante soixante septante huitante octante nonante`),
    phoneDigits: { least: 10, most: 10, mostOther: 10 },
    postcodeDigits: 5,
    postcodeDigitsLeast: 5,
    postcodeLetters: 0,
  },
};
