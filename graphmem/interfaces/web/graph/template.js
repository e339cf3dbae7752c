// What the graph page consists of: the tools and the canvas, the list, and the panels for kinds, the selected node and communities.
export default `
<div class="gm-grid gm-explorer">
  <div class="gm-panel flush">
    <div class="gm-line gm-graph-tools">
      <div class="gm-graph-find">
        <input type="search" class="gm-plain" v-model="sought" :placeholder="words.find" :aria-label="words.find" @keydown.enter="findAny" @keydown.esc="sought = ''" autocomplete="off">
        <div v-if="offers.length" class="gm-found" role="group" :aria-label="words.found">
          <button v-for="one in offers" :key="one.id" type="button" class="gm-leaf" @click="take(one)">
            <span class="gm-time">{{ named(one.label) }}</span> {{ one.title }}
          </button>
        </div>
      </div>
      <button v-if="!isWhole" type="button" class="gm-button plain" @click="open([])">{{ words.whole }}</button>
      <span class="gm-choices" role="group" :aria-label="words.colorBy">
        <span class="gm-time gm-choices-of" aria-hidden="true">{{ words.colorBy }}</span>
        <button type="button" class="gm-choice plain" :class="{ on: colored === 'kind' }" :aria-pressed="colored === 'kind'" @click="color('kind')">{{ words.byKind }}</button>
        <button type="button" class="gm-choice plain" :class="{ on: colored === 'community' }" :aria-pressed="colored === 'community'" @click="color('community')">{{ words.byCommunity }}</button>
      </span>
      <button type="button" class="gm-button plain" :aria-pressed="isList" @click="isList = !isList">{{ words.list }}</button>
      <span class="gm-tools-end">
        <button type="button" class="gm-button plain icon" :disabled="!undos.length" :aria-label="words.undo" :title="words.undo" @click="undo"><q-icon name="undo" /></button>
        <template v-if="canvas">
          <button type="button" class="gm-button plain icon" :aria-label="words.zoomIn" :title="words.zoomIn" @click="zoom(1.5)"><q-icon name="add" /></button>
          <button type="button" class="gm-button plain icon" :aria-label="words.zoomOut" :title="words.zoomOut" @click="zoom(1 / 1.5)"><q-icon name="remove" /></button>
          <button type="button" class="gm-button plain icon" :aria-label="words.fit" :title="words.fit" @click="fit"><q-icon name="fit_screen" /></button>
          <button type="button" class="gm-button plain icon" :aria-label="words.picture" :title="words.picture" @click="save"><q-icon name="photo_camera" /></button>
        </template>
      </span>
    </div>
    <p v-if="problem" class="gm-empty" role="alert">{{ problem }}</p>
    <p v-else-if="isEmpty" class="gm-empty"><span class="gm-empty-title">{{ words.empty }}</span><span>{{ words.emptyHint }}</span><a class="gm-linked" href="/">{{ words.overview }}</a></p>
    <p v-if="busy" class="gm-graph-busy" role="status">{{ busy }}</p>
    <div ref="host" class="gm-graph" :class="{ away: isList || problem || isEmpty || !drawable }" tabindex="0" role="img" :aria-label="words.label"></div>
    <p v-if="!drawable" class="gm-soft gm-padded">{{ words.noWebgl }}</p>
    <div v-if="isList || !drawable" class="gm-table gm-graph-list" tabindex="0" role="region" :aria-label="words.list">
      <table>
        <thead><tr><th>{{ words.name }}</th><th>{{ words.kind }}</th><th>{{ words.relations }}</th><th>{{ words.look }}</th></tr></thead>
        <tbody>
          <tr v-for="row in rows" :key="row.id" :class="{ on: row.node === chosen }">
            <td><button type="button" class="gm-link" @click="choose(row.node)">{{ row.title }}</button></td><td>{{ named(row.label) }}</td><td>{{ row.degree }}</td><td><span v-if="row.isPinned">{{ words.pinned }}</span><span v-if="row.isPinned && row.rule"> · </span>{{ row.rule }}</td>
          </tr>
        </tbody>
      </table>
      <div class="gm-pager" v-if="listed > size">
        <button type="button" class="gm-button plain" :disabled="!page" :aria-label="words.previous" @click="page--">‹</button>
        {{ page * size + 1 }}–{{ Math.min(listed, (page + 1) * size) }} / {{ listed.toLocaleString() }}
        <button type="button" class="gm-button plain" :disabled="(page + 1) * size >= listed" :aria-label="words.next" @click="page++">›</button>
      </div>
    </div>
    <div v-if="span" class="gm-line gm-graph-time">
      <label class="gm-time" for="gm-as-of">{{ words.asOf }}</label>
      <input id="gm-as-of" type="range" min="0" :max="ticks" v-model.number="tick" @input="travel" :aria-valuetext="moment">
      <span class="gm-time">{{ moment }}</span>
    </div>
  </div>
  <div class="gm-stack">
    <section class="gm-panel" v-if="kinds.length">
      <p class="gm-time gm-count" role="status">{{ counted }}</p>
      <p v-if="part" class="gm-soft gm-part">{{ part }}</p>
      <div class="gm-chips" :class="{ uncolored: colored === 'community' }" role="group" :aria-label="words.kinds">
        <button v-for="one in kinds" :key="one.name" type="button" class="gm-swatch" :class="['tone-' + one.name.toLowerCase(), { off: one.off }]" :aria-pressed="!one.off" :data-kind="one.name" @click="toggle('label', one.name)">{{ named(one.name) }} {{ one.count.toLocaleString() }}</button>
      </div>
      <details v-if="types.length">
        <summary class="gm-summary">{{ words.relations }}</summary>
        <div class="gm-chips">
          <button v-for="one in types" :key="one.name" type="button" class="gm-swatch" :class="{ off: one.off }" :aria-pressed="!one.off" :data-kind="one.name" @click="toggle('type', one.name)">{{ named(one.name) }} {{ one.count.toLocaleString() }}</button>
        </div>
      </details>
    </section>
    <section class="gm-panel gm-selected" v-if="kinds.length">
      <p v-if="!node" class="gm-soft">{{ words.hint }}</p>
      <template v-else>
        <div class="gm-line"><span class="gm-chip" :class="'tone-' + node.label.toLowerCase()">{{ named(node.label) }}</span><span class="gm-time">{{ node.date }}</span></div>
        <p><a class="gm-name" :href="node.href">{{ node.title }}</a></p>
        <div class="gm-chips">
          <button type="button" class="gm-button plain main" @click="expand(node.id)">{{ words.expand }}</button>
          <button type="button" class="gm-button plain" @click="isolate(node.id)">{{ words.alone }}</button>
          <button type="button" class="gm-button plain" @click="collapse">{{ words.collapse }}</button>
          <button type="button" class="gm-button plain" @click="hide">{{ words.hide }}</button>
          <button v-if="drawable" type="button" class="gm-button plain" :aria-pressed="node.isPinned" @click="pinNode(chosen)">{{ words.pin }}</button>
          <button v-if="start && start !== node.id" type="button" class="gm-button plain" @click="open([start], node.id)">{{ words.pathTo }}</button>
          <button v-else type="button" class="gm-button plain" @click="start = node.id">{{ words.pathFrom }}</button>
        </div>
        <p v-if="notice" class="gm-soft" role="status">{{ notice }}</p>
        <details v-for="group in node.groups" :key="group.key" class="gm-near" :open="node.groups.length < 4">
          <summary class="gm-summary"><span class="gm-soft">{{ group.name }}</span> <span class="gm-time">{{ group.all }}</span></summary>
          <button v-for="other in group.nodes" :key="other.node" type="button" class="gm-leaf" @click="choose(other.node, true)">{{ other.title }}</button>
          <button v-if="!isWhole" type="button" class="gm-button plain" @click="expand(node.id, group.type)">{{ words.expandType }}</button>
        </details>
      </template>
    </section>
    <section class="gm-panel gm-styles" v-if="kinds.length && !nodes">
      <details :open="styles.length > 0" @toggle="readKinds">
        <summary class="gm-summary">{{ words.styles }} <span class="gm-time" v-if="styles.length">{{ styles.length }}</span></summary>
        <div v-for="(one, at) in styles" :key="at" class="gm-line gm-rule">
          <span class="gm-shade" :style="{ background: shadeOf(one) }" aria-hidden="true"></span>
          <span class="grow">{{ described(one) }}</span>
          <button type="button" class="gm-button plain icon" :aria-label="words.remove + ' ' + described(one)" :title="words.remove" @click="restyle(styles.filter((_, other) => other !== at))"><q-icon name="close" /></button>
        </div>
        <form class="gm-rule-form" @submit.prevent="addRule">
          <label>{{ words.kind }}<select :aria-label="words.kind" v-model="draft.kind" class="gm-plain" @change="draft.property = draft.name = ''"><option value=""></option><option v-for="one in kinds" :key="one.name" :value="one.name">{{ named(one.name) }}</option></select></label>
          <label>{{ words.property }}<select :aria-label="words.property" v-model="draft.property" class="gm-plain" :disabled="!draft.kind"><option value="">{{ words.anyValue }}</option><option v-for="one in properties" :key="one" :value="one">{{ one }}</option></select></label>
          <template v-if="draft.property">
            <label>{{ words.test }}<select :aria-label="words.test" v-model="draft.test" class="gm-plain"><option v-for="one in choices.tests" :key="one" :value="one">{{ words['test_' + one] }}</option></select></label>
            <label>{{ words.value }}<input :aria-label="words.value" v-model="draft.value" class="gm-plain" maxlength="200" autocomplete="off"></label>
          </template>
          <label>{{ words.color }}<select :aria-label="words.color" v-model="draft.color" class="gm-plain"><option value="">{{ words.unchanged }}</option><option v-for="one in choices.colors" :key="one" :value="one">{{ words['color_' + one] }}</option></select></label>
          <label>{{ words.size }}<select :aria-label="words.size" v-model="draft.size" class="gm-plain"><option value="">{{ words.unchanged }}</option><option v-for="one in choices.sizes" :key="one" :value="one">{{ words['size_' + one] }}</option></select></label>
          <label>{{ words.nameBy }}<select :aria-label="words.nameBy" v-model="draft.name" class="gm-plain" :disabled="!draft.kind"><option value="">{{ words.unchanged }}</option><option v-for="one in properties" :key="one" :value="one">{{ one }}</option></select></label>
          <button type="submit" class="gm-button plain" :disabled="!isComplete">{{ words.addRule }}</button>
        </form>
      </details>
    </section>
    <section class="gm-panel" v-if="groups.length > 1 && isWhole">
      <h2>{{ words.communities }}</h2>
      <div v-for="one in groups" :key="one.id" class="gm-line gm-community">
        <span class="gm-shade" :style="{ background: colored === 'community' ? one.shade : 'transparent' }" aria-hidden="true"></span>
        <button type="button" class="gm-leaf grow" @click="visit(one)">{{ one.name }}</button>
        <span class="gm-time">{{ one.size.toLocaleString() }}</span>
        <button type="button" class="gm-button plain icon" :aria-pressed="one.isFolded" :aria-label="(one.isFolded ? words.expand : words.collapse) + ' ' + one.name" :title="one.isFolded ? words.expand : words.collapse" @click="fold([one.id], !one.isFolded)"><q-icon :name="one.isFolded ? 'unfold_more' : 'unfold_less'" /></button>
      </div>
      <div class="gm-chips">
        <button type="button" class="gm-button plain" @click="fold(groups.map((one) => one.id), true)">{{ words.collapseAll }}</button>
        <button type="button" class="gm-button plain" @click="fold(groups.map((one) => one.id), false)">{{ words.expandAll }}</button>
      </div>
    </section>
  </div>
</div>`;
