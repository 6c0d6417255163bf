// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_STOP_WORDS_IPP
#define DPLDA_IO_DETAIL_STOP_WORDS_IPP

// Bodies of io/stop_words.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/stop_words.hpp>

#include <algorithm>
#include <cstddef>

namespace dplda::inline v0_1 {

namespace detail {

struct function_words {
  std::string_view language, words;  // words in UTF-8, divided by blanks
};

inline constexpr function_words all_function_words[] = {
    {"english",
     "about above across after again against ain all almost along already also although always among and "
     "another any anybody anyone anything are aren around because been before behind being below beside "
     "besides between beyond both but can cannot could couldn despite did didn does doesn doing don down "
     "during each either even ever every everybody everyone everything except few for from had hadn has "
     "hasn have haven having hence her here hers herself him himself his how however into isn its itself "
     "just less many may might more most much must mustn myself near neither never nobody none nor not "
     "nothing now off often once one ones only onto other others our ours ourselves out over own per "
     "perhaps quite rather really same several shall shan she should shouldn since some somebody someone "
     "something soon still such than that the their theirs them themselves then there therefore these they "
     "this those though through throughout thus too toward towards under unless until unto upon very via "
     "was wasn well were weren what whatever when whenever where whereas wherever whether which while who "
     "whoever whom whose why will with within without won would wouldn yet you your yours yourself "
     "yourselves"},
    {"german",
     "aber alle allem allen aller alles als also ander andere anderem anderen anderer anderes auch auf aus "
     "außer bei beide beiden beim bereits bin bis bist bitte bzw dabei dadurch dafür dagegen daher damit "
     "danach daneben dann daran darauf daraus darf darin darum darunter darüber das dass davon davor dazu "
     "daß dein deine deinem deinen deiner dem den denen denn dennoch der deren des deshalb dessen desto "
     "deswegen dich die dies diese diesem diesen dieser dieses dir doch dort durch dürfen ebenfalls ebenso "
     "eher eigen eigene eigenen ein eine einem einen einer eines einige einigen einiger einiges einmal "
     "entweder erst etwa etwas euch euer eure für ganz gar gegen gegenüber gemäß genau gibt gleich habe "
     "haben hat hatte hatten hier hin hinter hätte hätten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer "
     "ihres immer indem infolge innerhalb ins insbesondere irgend ist jede jedem jeden jeder jedes jedoch "
     "jene jenem jenen jener jenes jetzt kann kaum kein keine keinem keinen keiner konnte können könnte "
     "lassen machen man manche manchem manchen mancher mehr mein meine meinem meinen meiner meist mich mir "
     "mit mittels muss musste muß müssen nach nachdem neben nicht nichts noch nun nur nämlich obwohl oder "
     "ohne sehr sein seine seinem seinen seiner seines seit selbst sich sie sind sobald sofern sogar solche "
     "solchem solchen solcher soll sollen sollte sollten somit sondern sonst soweit sowie sowohl trotz und "
     "uns unser unsere unserem unseren unserer unter viel viele vielen vielleicht vom von vor war waren "
     "warum was weder wegen weil weiter weitere weiteren welche welchem welchen welcher welches wenig "
     "wenige wenn wer werde werden weshalb wie wieder will wir wird wirst wollen wollte worden wurde wurden "
     "während wäre wären würde würden zudem zum zur zwar zwischen über überhaupt"},
    {"french",
     "afin ainsi alors après assez aucun aucune auquel aussi autant autre autres aux auxquels avaient avais "
     "avait avant avec avez aviez avions avoir avons ayant beaucoup bien car ceci cela celle celles celui "
     "cependant certain certaine certaines certains ces cet cette ceux chaque chez combien comme comment "
     "contre dans depuis des deux devant doit donc dont duquel durant elle elles encore entre est eux fait "
     "fois furent fut hors ici ils jamais jusque laquelle lequel les lesquelles lesquels leur leurs lors "
     "lorsque lui mais malgré mes mien mienne moi moins mon même mêmes non nos notre nous nôtre ont par "
     "parce parfois parmi pas pendant peu peut peuvent plus plusieurs pour pourquoi pourtant presque près "
     "puis puisque quand quant que quel quelle quelles quelque quelques quels qui quoi quoique sans sauf "
     "selon sera seraient serait seront ses seulement sien sienne sinon soi soit sommes son sont sous suis "
     "sur tandis tant tel telle telles tels tes toi ton toujours tous tout toute toutes trop très une vers "
     "voici voilà vos votre vous vôtre étaient étais était étant été être"},
    {"spanish",
     "acá además ahora ahí algo alguien alguna algunas alguno algunos algún allá allí ambos ante antes "
     "apenas aquel aquella aquellas aquello aquellos aquí así aun aunque aún bajo bien cada casi como con "
     "conmigo contra cual cuales cualquier cuando cuanto cuya cuyas cuyo cuyos cuál cuándo cómo debe deben "
     "del demás dentro desde después donde durante dónde ella ellas ello ellos entonces entre era eran eras "
     "eres esa esas ese eso esos esta estaba estaban estado estar estas este esto estos estoy está están "
     "fue fuera fueron fui haber habéis había habían han has hasta hay hemos incluso jamás junto las les "
     "los luego mediante menos mientras mis misma mismas mismo mismos mucha muchas mucho muchos muy más mía "
     "mío nada nadie ninguna ninguno ningún nos nosotras nosotros nuestra nuestras nuestro nuestros nunca "
     "otra otras otro otros para pero poca pocas poco pocos por porque puede pueden pues que quien quienes "
     "quién qué sea sean según ser será serán sería sido siempre siendo sin sino sobre sois solo somos son "
     "soy sus suya suyas suyo suyos sólo tal también tampoco tan tanto tener tengo tenía tiene tienen toda "
     "todas todavía todo todos tras tus una unas uno unos usted ustedes vosotros vuestra vuestro"},
    {"italian",
     "abbia abbiamo abbiano agli alcun alcuna alcune alcuni alla alle allo allora altra altre altri altro "
     "anche ancora anzi appena avendo aver avere aveva avevano avevo benché bensì che chi chiunque ciascuna "
     "ciascuno cioè ciò coi col come con contro cosa così cui dagli dai dal dall dalla dalle dallo degli "
     "dei del dell della delle dello dentro deve devono dopo dove dovrebbe dunque durante ecco era erano "
     "essa esse essendo essere essi fino fra fui furono già gli hai hanno infatti inoltre invece lei loro "
     "lui mai meno mentre mia mie miei mio molta molte molti molto neanche negli nei nel nell nella nelle "
     "nello nemmeno neppure nessun nessuna nessuno niente noi non nostra nostre nostri nostro nulla ogni "
     "ognuno oltre oppure ora per perché perciò pero però piuttosto più poca poche pochi poco poi poiché "
     "possono presso proprio pur pure può qua qual qualche qualcosa qualcuno quale quali quando quanta "
     "quante quanti quanto quasi quegli quei quel quell quella quelle quelli quello quest questa queste "
     "questi questo qui quindi saranno sarebbe sarà secondo sei sempre senza sia siamo siano siete sono "
     "sopra soprattutto sotto stata state stati stato stessa stesse stessi stesso sua sue sugli sui sul "
     "sull sulla sulle sullo suo suoi tale tali tanto tra troppo tua tue tuo tuoi tutta tuttavia tutte "
     "tutti tutto una uno verso vostra vostro"},
    {"portuguese",
     "acerca agora ainda algo algum alguma algumas alguns alguém ali além ante antes aos apenas apesar após "
     "aquela aquelas aquele aqueles aqui aquilo assim através até bem cada com como conforme contra contudo "
     "cuja cujas cujo cujos daquela daquele das debaixo dela delas dele deles depois desde dessa desse "
     "desta deste deve devem disso disto dos durante ela elas ele eles embora enquanto entanto entre então "
     "era eram essa essas esse esses esta estamos estar estas estava estavam este estes estive estou está "
     "estão foi fora foram fosse havia isso isto jamais lhe lhes logo mais mas menos mesma mesmas mesmo "
     "mesmos meu meus minha minhas muita muitas muito muitos nada nas nela nele nem nenhum nenhuma nessa "
     "nesse nesta neste ninguém nos nossa nossas nosso nossos num numa nunca não nós onde ora outra outras "
     "outro outros para pela pelas pelo pelos perante pode podem pois por porque portanto porém pouca "
     "poucas pouco poucos quais qual qualquer quando quanto quase que quem seja sejam sem sempre sendo ser "
     "seria será serão seu seus sido sob sobre somente sou sua suas são tal talvez também tampouco tanta "
     "tanto tem tendo tenho ter tinha tinham toda todas todavia todo todos tudo têm uma umas uns você vocês "
     "vos vossa vosso vários"},
    {"dutch",
     "aan aangezien achter aldus alle alleen alles als alsof altijd ander andere anderen beide ben bent bij "
     "bijna binnen boven buiten daar daarbij daardoor daarmee daarna daarom daarop dan dat der deze "
     "dezelfde die dit doch door dus echter een eens eerst elk elke enige enkele even evenals gedurende "
     "geen geweest haar had hadden heb hebben hebt heeft hem hen het hier hierbij hierdoor hij hoe hun "
     "ieder iedere iemand iets immers inderdaad indien intussen jou jouw jullie kan kon konden kunnen laten "
     "maar mag meer men met mijn minder misschien moest moet moeten mogen naar naast nadat niemand niet "
     "niets nog nooit ofschoon omdat omtrent ondanks onder ons onze ook opdat over overigens pas per reeds "
     "rond samen sinds slechts sommige soms steeds tegen tegenover tenzij terwijl tijdens toch toen tot "
     "totdat tussen uit van vanaf vanwege veel vele volgens voor vooral voordat waar waarbij waardoor "
     "waarin waarom wanneer want waren was wat weer wel welk welke werd werden wie wiens wij wil willen "
     "worden wordt zal zelf zelfs zich zichzelf zij zijn zoals zodat zonder zou zouden zowel zulke zullen"},
    {"danish",
     "aldrig alene alle allerede alligevel alt altid anden andet andre bare begge blev blevet blive bliver "
     "både dem den denne dens der deres derfor dermed derved desuden det dette dig din dine disse dit dog "
     "efter eftersom eller ellers end endda endnu ene eneste enhver ens enten fik flere flest for foran "
     "forbi fordi fra får før først gennem gør gøre ham han hans har havde have hele hen hende hendes her "
     "hos hvad hvem hver hverken hvert hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår ikke "
     "imellem imod ind inde inden ingen ingenting intet især jeg jer jeres kan kom kun kunne langs lige man "
     "mange med meget mellem men mens mere mest mig min mindre mine mit mod måske måtte nogen noget nogle "
     "nok når nær også omkring oven over overfor samme samt selv siden sig sin sine sit skal skulle snart "
     "som stadig sådan således thi til tit trods ude uden udenfor under var ved vel via vil ville vor vore "
     "vores være været"},
    {"swedish",
     "aldrig alla allt alltid alltså andra annan annat att bakom bara båda både den denna deras dess dessa "
     "det detta dig din dina ditt dock där därför efter eftersom eller emellan endast enligt ens ett fast "
     "fick finns fler flera fortfarande fram framför från får för före först genom gör göra hade han hans "
     "har hela helt henne hennes hon honom hos hur här ibland icke ifall igen inga ingen inget innan inom "
     "inte intill istället jag kan knappt kommer kring kunde kunna lika liksom man med medan mellan men "
     "mera mest mig min mina minst mitt mot mycket många måste nej ner nog när nästan någon något några når "
     "och också olika oss runt samma samt sedan sig sin sina sitt själv ska skall skulle snart som sådan "
     "sådana sådant till tills trots tycka under upp utan utanför utom vad var vara varandra varför varit "
     "varje vars vart vem vid vidare vilka vilken vilket vill ville väl vår våra vårt ändå ännu även över"},
    {"norwegian",
     "aldri alene alle allerede alltid alt andre annen annet bak bare begge ble blei bli blir blitt både "
     "deg den denne der dere deres derfor dermed dersom dess dessuten det dette din dine disse ditt dog "
     "eller ellers enda enn ennå enten etter for foran forbi fordi fra får før først gjennom gjør gjøre "
     "hadde ham han hans har hele hennes her hos hun hva hvem hver hvert hvilke hvilken hvilket hvis hvor "
     "hvordan hvorfor ikke ikkje imellom imot ingen ingenting inn innen innenfor jeg kan kanskje kun kunne "
     "langs man mange med meg mellom men mens mer mest min mindre mine mitt mot mye måtte nei nesten noe "
     "noen nok når nær også omkring oppe over rundt samme samt seg selv siden sin sine sist sitt skal "
     "skulle slik slike snart som stadig sånn til tross under uten utenfor var ved vel vil ville vår våre "
     "vårt være vært"},
    {"polish",
     "aby albo ale ależ ani bardziej bardzo bez bowiem być był była było były bądź będzie będą ciebie cię "
     "czemu czy czyli cóż dla dlaczego dlatego dopiero dość gdy gdyby gdyż gdzie ich inna inne inni inny "
     "innych jak jaka jakaś jaki jakie jakiś jako jakoś jednak jednakże jego jej jemu jest jestem jeszcze "
     "jeśli jeżeli już każda każde każdy kiedy kimś kto ktoś która które którego której który których "
     "którym którzy lecz lub mają mimo mnie mną moi moim moja moje może można musi mój nad nami nas nasi "
     "nasz nasza nasze natomiast nawet nic nich nie niego niej niektóre niektórych nigdy nim nimi niż obok "
     "oby one oni ono oraz pod podczas pomimo ponad ponieważ poza prawie przecież przed przede przez przy "
     "również sam sama same sami sobie sobą swoich swoim swoja swoje swoją swój tak taka taki takich takie "
     "także tam tego tej ten też tobie tobą toteż tych tylko tym tymi wam wami was wasz wasza wasze według "
     "wiele wielu więc wobec wszyscy wszystkich wszystkie wszystko wtedy zawsze zaś zbyt znowu został "
     "została zostało"},
    {"czech",
     "aby aneb ani ano asi avšak bez beze bude budem budeme budete budou budu byl byla byli bylo byly být "
     "během celý chce což další dnes dokud doposud hned jak jako jakož jaká jaké jaký jednak jeho jejich "
     "jejichž její jemu jen jenom jenž jestli jestliže ještě jež jim jimi jinak jiná jiné jiný jsem jsi "
     "jsme jsou jste kam každá každé každý kde kdo kdy když kterou která které který kteří kvůli mají mezi "
     "mimo mne mnoho mnou moci mohl mohou moje moji musí málo máme mít měl měla můj může nad nade naproti "
     "naše našeho naši nebo nechť není než nic nich nikdo nikdy nim nimi nám námi nás náš ním nýbrž něco "
     "nějaké nějaký někdo někdy některé některý ona oni ono ony pak pod podle pokud poté pouze pro prostě "
     "proti proto protože proč právě před přede přes přesto přestože při sama samé samý sebe sice skoro "
     "snad spolu svou své svého svém svých svým svými svůj sám tak taková takové takový také takže tam tato "
     "tebe tedy ten tento tobě toho tohoto tom tomto tomu totiž touto tuto tvůj tyto této tím určitě vaše "
     "vedle velmi vám vámi vás váš však vše všech všechno všichni vůbec vždy zase zatímco zda zde"},
    {"russian",
     "без более больше будем будет будете будто буду будут бывает была были было быть вам вами вас ваш ваша "
     "ваше ваши вдоль ведь весь вместо вне вниз вокруг вообще вот все всегда всего всей всем всеми всему "
     "всех всею всю вся где даже для долго должен должна должны другая другие других другого другой едва "
     "если есть еще ещё зачем здесь или имеет именно иметь ими иногда каждая каждое каждый как какая какие "
     "каким каких какого какой кем когда кого кому которая которого которое которой котором которые который "
     "которых кроме кто куда лишь лучше между меня мне много могут может можно мои моих мой моя над надо "
     "наш наша наше наши него нее ней некоторые нельзя нет нею неё никогда никто ним ними них ничего ничто "
     "нужно обо однако около она они оно опять особенно ото очень перед под подо пока после потом потому "
     "почему почти при про раз разве сам сама сами само самый своего своей свои своих свой свою себе себя "
     "сейчас скоро слишком снова собой собою совсем сразу так такая также такие таким таких такого такое "
     "такой там твой тебе тебя тем теми теперь тех тогда того тоже той только том тому тот три туда тут "
     "хоть хотя чего чей чем через что чтобы чуть чье чья эта эти этим этих это этого этой этом этому этот "
     "эту"},
    {"turkish",
     "acaba ama ancak artık asla aslında aynı ayrıca bana bazen bazı başka belki ben benden beni benim beri "
     "bile bir biraz biri birisi birkaç birçok birşey biz bizden bize bizi bizim buna bunda bundan bunlar "
     "bunları bunların bunu bunun burada böyle böylece bütün daha dahi değil diye diğer dolayı dolayısıyla "
     "edecek eden eder edilen ediliyor ediyor etmesi etti eğer fakat gene gibi göre halen hangi hani hatta "
     "hem henüz hep hepsi her herhangi herkes herkesin hiç hiçbir ile ilgili ise itibaren için işte kadar "
     "karşın kendi kendilerine kendine kendini kendisi kez kim kime kimi kimse kısaca mesela nasıl neden "
     "nedenle nerde nerede nereye neyse nin niye niçin olan olarak oldu olduğu olduğunu olmak olması "
     "olmayan olsa olsun olup olur olursa oluyor ona ondan onlar onlara onlardan onları onların onu onun "
     "orada oysa pek rağmen sadece sanki sen senden seni senin siz sizden size sizi sizin son sonra tabii "
     "tarafından tüm tümü var vardı veya veyahut yani yapmak yerine yine yoksa zaten zira çok çoğu çünkü "
     "öyle üzere şayet şey şeyden şimdi şuna şunda şundan şunlar şunu şunun şöyle"},
    {"finnish",
     "aina ainakin asti edes ehkä eivät eli ellei emme eniten ennen ette että heidän heidät heihin heille "
     "heistä heitä hyvin hän häneen hänelle hänen hänestä hänet häntä ilman itse itsensä joiden joihin "
     "joilla joissa joita joka jokainen jokin joko joku jolla jolle jonka jopa jos joskus jossa josta jota "
     "jotain jotakin jotka jotta jälkeen kaikki kaikkien kanssa kautta keiden keitä kenen kenet ketkä ketä "
     "kohti koko koska koskaan kuin kuinka kuitenkin kuka kukaan kumpi kun kuten kyllä liian lisäksi lähes "
     "meidän meidät meihin meille meistä meitä mihin miksi mikä mikään mille milloin millä minkä minua "
     "minulla minulle minun minut minä missä mistä mitkä mitä mitään molemmat muiden muita mukaan mutta muu "
     "muun muut myös myöskään niiden niihin niille niillä niin niissä niistä niitä noiden noissa noita nuo "
     "nyt näiden näihin näillä näin näissä näistä näitä nämä olemme olen olet olette oli olimme olin olisi "
     "olisivat olit olivat olla olleet ollut onko ovat paitsi paljon pitkin poikki saakka samoin sekä "
     "sellainen sen siellä sieltä siihen siinä siis siitä siksi sille sillä sinne sinua sinulla sinun sinut "
     "sinä sitten sitä taas tai teidän teidät teihin teille teistä teitä tuo tuolla tuon tuossa tuota tähän "
     "tälle tällä tämä tämän tässä tästä tätä täällä vaan vaikka vain varten vasta vielä voi voivat "
     "vähemmän vähän yhä"},
    {"chinese",
     "一个 一些 一样 一种 一般 上述 下面 不仅 不会 不但 不同 不是 不能 不要 不过 为了 为什么 之前 之后 之间 "
     "也是 也许 于是 什么 他们 以上 以下 以前 以及 以后 以来 任何 但是 何时 你们 你的 使得 例如 "
     "依照 关于 其中 其他 其它 其实 再次 别的 到底 及其 只是 只有 只要 可以 可是 可能 各种 同时 同样 后来 "
     "向着 否则 咱们 哪个 哪些 哪里 因为 因此 因而 在于 她们 如何 如果 如此 它们 对于 将要 就是 已经 "
     "并不 并且 应当 应该 当时 很多 怎么 怎么样 怎样 总之 我们 我的 或者 所以 所有 按照 据此 接着 无论 既然 "
     "时候 是否 曾经 有些 有关 有的 本身 来自 某个 某些 根据 正在 此外 每个 没有 然后 然而 由于 由此 的话 "
     "直到 相对 相当 真的 着呢 而且 而是 自己 至于 虽然 要是 许多 诸如 谁的 起来 较为 还是 还有 这个 这些 "
     "这样 这种 这里 进行 通过 那个 那么 那些 那样 那里 除了 除非 随着 非常"},
    {"japanese",
     "あの ある あれ いい いう いた いつ いる うち および おり かつ から けど ここ こと この これ これら "
     "さらに される しかし して する そこ そして その その他 それ それぞれ それら たち ため たり だけ "
     "だった ちょっと てる です では でも という といった とき ところ として とも ながら なく なけれ なし "
     "なった なって など なら なり なる において における について にて には によって により による "
     "に対して に対する ので のに のみ へと ほか ほど ました ます ません また または まで もう もの ものの "
     "やら よう ように より よる られ られる れる わけ 並びに 及び 場合 彼ら 私たち 自分"},
};

}  // namespace detail

DPLDA_INLINE std::vector<std::string_view> stop_word_languages() {
  std::vector<std::string_view> languages;
  for (const detail::function_words& each : detail::all_function_words) languages.push_back(each.language);
  return languages;
}

DPLDA_INLINE std::vector<std::string> stop_words(std::string_view language) {
  const auto* const found = std::ranges::find(detail::all_function_words, language, &detail::function_words::language);
  detail::require(found != std::ranges::end(detail::all_function_words), "stop_words", "language", language,
                  "must be one of stop_word_languages(), such as english or german");
  std::vector<std::string> list;
  for (std::string_view rest = found->words; !rest.empty();) {
    const std::size_t size = std::min(rest.find(' '), rest.size());
    list.emplace_back(rest.substr(0, size));
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  return list;
}

DPLDA_INLINE std::vector<std::string> english_stop_words() { return stop_words("english"); }

}  // namespace dplda::inline v0_1

#endif
