# SPDX-License-Identifier: Apache-2.0
"""How gdb shows a corpus, a vocabulary, a ledger, a privacy event and a guarantee. In gdb, or in ~/.gdbinit:

    source <prefix>/share/dplda/gdb/dplda_printers.py

Works on programs built with libstdc++ or libc++. Nothing in the program is called, so core files are shown as well.
"""
import gdb
import gdb.printing


def field(value, *names):
    """The first of these members that the value has: the standard libraries differ in their names."""
    for name in names:
        try:
            return value[name]
        except gdb.error:
            continue
    raise gdb.error("no member " + " or ".join(names))


def pointee(shared):
    return field(shared, "_M_ptr", "__ptr_").dereference()


class vector:
    def __init__(self, value):
        try:
            self.begin, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
        except gdb.error:
            self.begin, end = field(value, "__begin_"), field(value, "__end_")
        self.size = int(end - self.begin)

    def __len__(self):
        return self.size

    def __getitem__(self, n):
        if n >= self.size:
            raise IndexError(n)
        return (self.begin + n).dereference()


class column(vector):
    """dplda::detail::column, of which a corpus is made."""

    def __init__(self, value):
        self.begin, self.size = value["begin_"], int(value["size_"])


def held(value, kind):
    """What a std::variant or std::optional holds: it stands at the object's own address."""
    return value.address.cast(kind.pointer()).dereference()


def engaged(optional):
    try:
        return bool(optional["_M_payload"]["_M_engaged"])
    except gdb.error:
        return bool(optional["__engaged_"])


def loaded(atomic):
    try:
        return int(atomic["_M_i"])
    except gdb.error:
        return int(atomic["__a_"]["__a_value"])


def alternative(variant):
    try:
        index = variant["_M_index"]
    except gdb.error:
        index = variant["__impl_"]["__index"]
    return held(variant, variant.type.strip_typedefs().template_argument(int(index)))


def fields(value):
    """A plain struct as name{member = value, ...}."""
    kind = value.type.strip_typedefs()
    members = ", ".join("%s = %s" % (f.name, value[f.name].format_string()) for f in kind.fields())
    return kind.unqualified().name.split("::")[-1] + ("{%s}" % members if members else "")


def enumerator(value):
    return str(value).split("::")[-1]


def counted(n, thing):
    return "%d %s%s" % (n, thing, "" if n == 1 else "s")


def text(value):
    """The bytes of a std::string, or None where the library keeps them in a way that is not known here."""
    try:
        size = int(value["_M_string_length"])
        return value["_M_dataplus"]["_M_p"].string("utf-8", "replace", size) if size else ""
    except gdb.error:
        return None


class word_list:
    def __init__(self, vocabulary):
        table = pointee(vocabulary["words_"])
        self.letters = table["letters_"]
        self.ends = vector(table["ends_"])

    def __len__(self):
        return len(self.ends)

    def __getitem__(self, n):
        begin = int(self.ends[n - 1]) if n > 0 else 0
        length = int(self.ends[n]) - begin
        try:
            return (self.letters["_M_dataplus"]["_M_p"] + begin).string("utf-8", "replace", length)
        except gdb.error:
            return "word %d" % n


class vocabulary_printer:
    def __init__(self, value):
        self.words = word_list(value)
        self.origin = enumerator(value["origin_"])

    def to_string(self):
        return "vocabulary of %s (%s)" % (counted(len(self.words), "word"), self.origin)

    def children(self):
        return (("[%d]" % n, self.words[n]) for n in range(len(self.words)))


class corpus_printer:
    def __init__(self, value):
        self.data = pointee(value["data_"])
        self.pruning = enumerator(value["pruning_"])
        self.words = word_list(pointee(value["vocab_"]))
        self.offsets = column(self.data["offsets"])

    def to_string(self):
        parts = [counted(len(self.offsets) - 1, "document"), counted(len(self.words), "word")]
        tokens = loaded(self.data["tokens"])
        if tokens < 2**64 - 1:  # else not counted yet
            parts.append(counted(tokens, "token"))
        if len(column(self.data["users"])):
            parts.append(counted(int(self.data["user_count"]), "user"))
        if self.pruning != "none":
            parts.append("pruning " + self.pruning)
        return "corpus of " + ", ".join(parts)

    def children(self):
        words, counts = column(self.data["words"]), column(self.data["counts"])
        for d in range(len(self.offsets) - 1):
            begin, end = (int(self.offsets[at]) - int(self.data["first_offset"]) for at in (d, d + 1))
            entries = ("%s %d" % (self.words[int(words[n])], int(counts[n])) for n in range(begin, end))
            yield "[%d]" % d, ", ".join(entries) or "(empty)"


class event_printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        parts = [fields(alternative(self.value["noise"])), fields(alternative(self.value["sampling"])),
                 enumerator(self.value["unit"]), enumerator(self.value["relation"])]
        label = text(self.value["label"])
        if label:
            parts.append('"%s"' % label)
        return ", ".join(parts)


class ledger_printer:
    def __init__(self, value):
        self.entries = vector(value["entries_"])
        self.seeded = bool(value["seeded_"])

    def to_string(self):
        return "ledger of %s%s" % (counted(len(self.entries), "event"), ", seeded" if self.seeded else "")

    def children(self):
        for n in range(len(self.entries)):
            entry = self.entries[n]
            yield "[%d]" % n, "%d x %s" % (int(entry["count"]), event_printer(entry["event"]).to_string())


class guarantee_printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        value = self.value
        sentence = "(epsilon %s, delta %s) for one %s, %s, by %s, %s" % (
            value["epsilon"].format_string(), value["delta"].format_string(), enumerator(value["unit"]),
            enumerator(value["relation"]), enumerator(value["accountant"]), enumerator(value["basis"]))
        if engaged(value["gamma"]):
            sentence += ", gamma %s" % held(value["gamma"], gdb.lookup_type("double")).format_string()
        return sentence + (", seeded" if value["seeded"] else "")


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("dplda")
    for name, printer in (("corpus", corpus_printer), ("vocabulary", vocabulary_printer),
                          ("privacy_event", event_printer), ("ledger", ledger_printer),
                          ("guarantee", guarantee_printer)):
        # An inline namespace of the version may stand between.
        printers.add_printer(name, r"^dplda::(\w+::)?%s$" % name, printer)
    gdb.printing.register_pretty_printer(None, printers, replace=True)


register()
