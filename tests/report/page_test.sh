#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# page_test.sh TESTS [FOLDER]: the report's pages in a browser. TESTS is the program of tests/report, which writes them;
# pictures are kept in FOLDER if it is given. Skipped (77) where chromium is not installed.
set -eu
tests=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "report page: SKIPPED, NOTHING WAS TESTED: chromium is not installed (Debian: chromium)" >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=${2:-$work}
mkdir -p "$pages"
fail() {
  echo "report page: $1" >&2
  exit 1
}

DPLDA_REPORT_PAGES=$pages "$tests" '[report]' >"$work/tests.log" 2>&1 || fail "the pages could not be made: $(cat "$work/tests.log")"

# browse NAME ARGUMENTS...: opens a page; any complaint by the script or the policy is a failure.
browse() {
  name=$1
  shift
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
    --user-data-dir="$work/profile" --enable-logging=stderr "$@" "file://$pages/$name" 2>"$work/log" ||
    fail "$name: the browser failed: $(tail -n 5 "$work/log")"
  if grep 'CONSOLE' "$work/log" >&2; then fail "$name: the browser complains"; fi
}
# The probe must run, or a silent browser would look like success.
printf '<script>throw Error("probe")</script>' >"$pages/probe.html"
timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
  --enable-logging=stderr --dump-dom "file://$pages/probe.html" >/dev/null 2>"$work/log" || true
grep -q 'CONSOLE.*probe' "$work/log" || fail "the browser does not tell of errors, so nothing can be tested"
rm "$pages/probe.html"

count() { grep -o "$1" "$work/dom" | wc -l; }
# check NAME TOPICS WORDS: the script ran to its end and shows the first topic.
check() {
  browse "$1" --dump-dom >"$work/dom"
  grep -q 'data-script="ready"' "$work/dom" || fail "$1: the script did not finish"
  [ "$(count '<circle')" = "$2" ] || fail "$1: $(count '<circle') circles instead of $2"
  [ "$(count 'role="radio"')" = "$2" ] || fail "$1: not every circle can be chosen"
  [ "$(count 'aria-checked="true"')" = 1 ] || fail "$1: not one topic is chosen"
  [ "$(count 'role="option"')" = "$3" ] || fail "$1: $(count 'role="option"') words instead of $3"
  if grep -q 'data-stolen' "$work/dom"; then fail "$1: a word of the vocabulary ran as a script"; fi
}
check proven.html 10 20
check seeded.html 10 20
check published.html 10 20
check none.html 10 20
check weak.html 10 20
check full.html 10 20
check large.html 50 20
check three.html 3 20
check named.html 20 20
check hundred.html 100 20
check hostile.html 2 7
check one.html 1 1
browse 'full.html#topic-7' --dump-dom >"$work/dom"
grep -q 'id="topic-name">Topic 7<' "$work/dom" || fail "a link to a topic does not choose it"

# without_policy NAME SCRIPT: a copy that may run SCRIPT, as driven.html.
without_policy() {
  sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$pages/$1" >"$pages/driven.html"
  printf '<script>%s</script>' "$2" >>"$pages/driven.html"
}
title() { grep -o '<title>[^<]*' "$work/dom" | head -n 1 | cut -c 8-; }

# Words are harmless by themselves, not only under the policy.
without_policy hostile.html 'document.title = "stolen " + document.documentElement.dataset.stolen + document.images.length'
browse driven.html --dump-dom >"$work/dom"
[ "$(title)" = "stolen undefined0" ] || fail "a word ran as a script where no policy forbids it: $(title)"

# Nothing is wider than the window, not even on a phone.
without_policy full.html 'document.title = "wide " + (document.documentElement.scrollWidth - innerWidth)'
for size in 360,800 1280,900; do
  browse driven.html --window-size=$size --dump-dom >"$work/dom"
  [ "$(title)" = "wide 0" ] || fail "at $size the page is too wide: $(title)"
done

# No key figure covers its neighbour.
for each in proven three; do
without_policy $each.html '
  const boxes = [...document.querySelectorAll(".figures div")].map(d => ({box: d.getBoundingClientRect(),
    right: Math.max(...[...d.querySelectorAll("*")].map(e => {
      const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect().right; }))}));
  document.title = "covered " + boxes.filter(a => boxes.some(b =>
    b.box.top === a.box.top && b.box.left > a.box.left && b.box.left < a.right)).length'
for size in 360,800 800,900 1280,900; do
  browse driven.html --window-size=$size --dump-dom >"$work/dom"
  [ "$(title)" = "covered 0" ] || fail "$each at $size: key figures overlap: $(title)"
done
done

# No label of the map covers another, with 3, 20 and 100 topics, and the chosen topic has its label.
for each in three named hundred; do
  without_policy $each.html '
    const shown = [...document.querySelectorAll(".labels text")].filter(t => getComputedStyle(t).display !== "none");
    const boxes = shown.filter(t => !t.classList.contains("chosen")).map(t => t.getBoundingClientRect());
    const cover = (a, b) => a !== b && a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
    document.title = "covered " + boxes.filter(a => boxes.some(b => cover(a, b))).length +
      (shown.length < 3 || !document.querySelector(".labels .chosen") ? " missing" : "")'
  for size in 800,900 1280,900; do
    browse driven.html --window-size=$size --dump-dom >"$work/dom"
    [ "$(title)" = "covered 0" ] || fail "$each at $size: labels of the map: $(title)"
  done
done

# The table has the words in the order that the page begins with.
without_policy named.html '
  const words = list => [...list].slice(0, 12).map(w => w.textContent).join();
  let other = 0;
  for (let k = 0; k < 20; ++k) {
    if (words(document.querySelectorAll("#topic-" + k + " td:last-child bdi")) !==
        words(document.querySelectorAll("#words .name"))) ++other;
    document.getElementById("after").click();
  }
  document.title = "orders " + other'
browse driven.html --dump-dom >"$work/dom"
[ "$(title)" = "orders 0" ] || fail "the table orders words in another way than the page: $(title)"

# Keys choose topics and words, the slider orders words, and a word resizes the circles.
without_policy proven.html '
  const id = name => document.getElementById(name), said = [];
  const press = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const topic = () => id("topic-name").textContent.slice(6) + document.activeElement.dataset.topic;
  const radii = () => [...document.querySelectorAll("circle")].map(c => c.getAttribute("r")).join();
  document.querySelector("[role=radio][tabindex=\"0\"]").focus();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "End", "ArrowRight", "ArrowUp", "Home"]) {
    press(key);
    said.push(topic());
  }
  id("after").click();
  said.push(id("topic-name").textContent);
  const slide = value => { id("lambda").value = value; id("lambda").dispatchEvent(new Event("input")); };
  const values = () => [...document.querySelectorAll(".value")].map(v => parseFloat(v.textContent));
  const falling = list => list.every((x, i) => i === 0 || x <= list[i - 1]);
  slide(1);
  said.push(falling(values()));
  slide(0);
  said.push(falling(values()));
  const before = radii();
  id("words").firstElementChild.focus();
  press("ArrowDown");
  press("Enter");
  said.push(id("words").children[1].getAttribute("aria-selected"), radii() === before);
  press("Escape");
  said.push(radii() === before);
  document.title = said.join(" ");'
browse driven.html --dump-dom >"$work/dom"
[ "$(title)" = "11 22 11 99 00 99 00 Topic 1 true false true false true" ] || fail "keys do something else: $(title)"
rm "$pages/driven.html"

for each in three named hundred; do
  for size in 1280,3600 800,4600; do
    browse $each.html --window-size=$size --screenshot="$pages/$each-${size%,*}.png" >/dev/null
  done
  browse $each.html --window-size=1280,3600 --blink-settings=preferredColorScheme=0 --screenshot="$pages/$each-dark.png" >/dev/null
done
for size in 1280,5200 360,9000; do
  browse full.html --window-size=$size --screenshot="$pages/full-${size%,*}.png" >/dev/null
  [ -s "$pages/full-${size%,*}.png" ] || fail "no picture at $size"
done
browse proven.html --window-size=1280,4000 --blink-settings=preferredColorScheme=0 --screenshot="$pages/proven-dark.png" >/dev/null
browse proven.html --print-to-pdf="$pages/proven.pdf" --no-pdf-header-footer >/dev/null
[ -s "$pages/proven.pdf" ] || fail "the page does not print"
echo "report page: all pages work in $("$browser" --version 2>/dev/null)"
