//! Approximate minimum degree: an elimination order which keeps the factors sparse.
//!
//! Works on the graph of B + Bᵀ, B the matrix with its rows permuted to a zero-free diagonal. The
//! graph of the partly eliminated matrix is never formed: an eliminated variable becomes an
//! *element*, the clique of what it was connected with, and a variable is described by its
//! remaining original neighbours and the elements it belongs to (quotient graph). Degrees are
//! bounded from above by sums over elements, which costs a scan of the lists instead of a union of
//! sets, and is nearly always as good as the exact degree [Amestoy, Davis, Duff 1996]. Variables
//! that have become indistinguishable are merged, those with no neighbour outside the new element
//! are eliminated along with it, elements inside the new one are absorbed.
//!
//! Ties go to the variable that entered its degree list last, so the order is a function of the
//! pattern alone.
//!
//! differs: lists of dead elements are not reclaimed. All lists together stay below the number of
//! entries of the factor in compressed form, memory which the factorisation is about to need
//! anyway.

use super::transversal::NONE;
use super::tuning::DENSE_ROW;
use holonom_dae::Pattern;

/// The order in which to eliminate the columns of `pattern` when column `j` has its pivot in row
/// `row_of_column[j]`: entry `k` of the result is the column to eliminate as number `k`.
///
/// # Panics
/// When `row_of_column` is not a permutation of the rows.
pub fn approximate_minimum_degree(pattern: &Pattern, row_of_column: &[usize]) -> Vec<usize> {
    let mut graph = QuotientGraph::new(pattern, row_of_column);
    while graph.n_eliminated < graph.n_ordered {
        let p = graph.take_variable_of_least_degree();
        graph.form_element(p);
        graph.measure_overlaps(p);
        graph.update_variables(p);
        graph.merge_indistinguishable(p);
        graph.finish_element(p);
    }
    graph.into_order()
}

/// What a node of the graph is at present.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Variable,
    Element,
    /// Merged into another variable, absorbed by another element, or ordered last.
    Gone,
}

struct QuotientGraph {
    // lists: for a variable its elements, then its variables; for an element its variables
    store: Vec<u32>,
    begin: Vec<usize>,
    length: Vec<u32>,
    n_elements: Vec<u32>,

    // nodes
    kind: Vec<Kind>,
    /// How many columns a variable stands for; negative while it is in the element being formed; 0
    /// when gone.
    weight: Vec<i64>,
    /// Bound of the external degree of a variable, size of an element, both counted with weights.
    degree: Vec<i64>,
    mark: Vec<i64>,
    stamp: i64,

    // columns that are eliminated together with the node at the head of the chain
    chain_next: Vec<u32>,
    chain_last: Vec<u32>,

    // variables by degree, doubly linked
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    least: usize,

    // variables by hash of their lists
    bucket: Vec<u32>,
    bucket_next: Vec<u32>,
    hash: Vec<u32>,

    /// Element that absorbed an element.
    parent: Vec<u32>,
    pivots: Vec<u32>,
    ordered_last: Vec<u32>,
    n_eliminated: i64,
    n_ordered: i64,
}

impl QuotientGraph {
    fn new(pattern: &Pattern, row_of_column: &[usize]) -> Self {
        let n = pattern.n_columns();
        let (store, begin, length) = symmetric_lists(pattern, row_of_column);
        let mut graph = Self {
            store,
            begin,
            length,
            n_elements: vec![0; n],
            kind: vec![Kind::Variable; n],
            weight: vec![1; n],
            degree: vec![0; n],
            mark: vec![0; n],
            stamp: 1,
            chain_next: vec![NONE; n],
            chain_last: (0..n as u32).collect(),
            head: vec![NONE; n],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            least: 0,
            bucket: vec![NONE; n],
            bucket_next: vec![NONE; n],
            hash: vec![0; n],
            parent: vec![NONE; n],
            pivots: Vec::with_capacity(n),
            ordered_last: Vec::new(),
            n_eliminated: 0,
            n_ordered: n as i64,
        };
        let dense = (DENSE_ROW * (n as f64).sqrt()).max(16.0) as u32;
        for i in 0..n {
            if graph.length[i] > dense {
                graph.kind[i] = Kind::Gone;
                graph.weight[i] = 0;
                graph.ordered_last.push(i as u32);
            }
        }
        graph.n_ordered -= graph.ordered_last.len() as i64;
        for i in (0..n).rev() {
            if graph.kind[i] == Kind::Variable {
                graph.degree[i] = i64::from(graph.length[i]).min(graph.n_ordered - 1);
                graph.enter_degree_list(i);
            }
        }
        graph
    }

    fn enter_degree_list(&mut self, i: usize) {
        let d = self.degree[i] as usize;
        let first = self.head[d];
        self.next[i] = first;
        self.previous[i] = NONE;
        if first != NONE {
            self.previous[first as usize] = i as u32;
        }
        self.head[d] = i as u32;
        self.least = self.least.min(d);
    }

    fn leave_degree_list(&mut self, i: usize) {
        let (before, after) = (self.previous[i], self.next[i]);
        if after != NONE {
            self.previous[after as usize] = before;
        }
        if before != NONE {
            self.next[before as usize] = after;
        } else {
            self.head[self.degree[i] as usize] = after;
        }
    }

    fn take_variable_of_least_degree(&mut self) -> usize {
        while self.head[self.least] == NONE {
            self.least += 1;
        }
        let p = self.head[self.least] as usize;
        self.leave_degree_list(p);
        p
    }

    fn list(&self, i: usize) -> core::ops::Range<usize> {
        self.begin[i]..self.begin[i] + self.length[i] as usize
    }

    /// L_p := (variables of p ∪ variables of its elements) \ p; its elements are absorbed.
    fn form_element(&mut self, p: usize) {
        let first_new = self.store.len();
        let own = self.list(p);
        let n_elements = self.n_elements[p] as usize;
        self.weight[p] = -self.weight[p];
        let mut size = 0;
        for k in own.start..own.start + n_elements {
            let e = self.store[k] as usize;
            if self.kind[e] == Kind::Element {
                for s in self.list(e) {
                    size += self.gather(s);
                }
                self.kind[e] = Kind::Gone;
                self.parent[e] = p as u32;
            }
        }
        for s in own.start + n_elements..own.end {
            size += self.gather(s);
        }
        self.kind[p] = Kind::Element;
        self.degree[p] = size;
        self.begin[p] = first_new;
        self.length[p] = (self.store.len() - first_new) as u32;
    }

    /// Takes the variable at place `s` of the store into the element being formed, unless it is
    /// gone or there already.
    fn gather(&mut self, s: usize) -> i64 {
        let i = self.store[s] as usize;
        let w = self.weight[i];
        if w <= 0 {
            return 0;
        }
        self.weight[i] = -w;
        self.store.push(i as u32);
        self.leave_degree_list(i);
        w
    }

    /// mark[e] − stamp := |L_e \ L_p| for all elements that share a variable with L_p.
    fn measure_overlaps(&mut self, p: usize) {
        self.stamp += self.mark.len() as i64 + 1;
        for s in self.list(p) {
            let i = self.store[s] as usize;
            let w = -self.weight[i];
            for k in self.begin[i]..self.begin[i] + self.n_elements[i] as usize {
                let e = self.store[k] as usize;
                if self.mark[e] >= self.stamp {
                    self.mark[e] -= w;
                } else if self.kind[e] == Kind::Element {
                    self.mark[e] = self.degree[e] + self.stamp - w;
                }
            }
        }
    }

    /// Shortens the lists of the variables of L_p, puts p in front, bounds their degrees outside
    /// L_p.
    fn update_variables(&mut self, p: usize) {
        for s in self.list(p) {
            let i = self.store[s] as usize;
            let own = self.list(i);
            let first_variable = own.start + self.n_elements[i] as usize;
            let mut end = own.start;
            let mut degree = 0;
            let mut hash = p as u32;
            for k in own.start..first_variable {
                let e = self.store[k] as usize;
                if self.kind[e] != Kind::Element {
                    continue;
                }
                let outside = self.mark[e] - self.stamp;
                if outside == 0 {
                    // aggressive absorption: L_e lies in L_p although e is not a neighbour of p
                    self.kind[e] = Kind::Gone;
                    self.parent[e] = p as u32;
                    continue;
                }
                degree += outside;
                hash = hash.wrapping_add(e as u32);
                self.store[end] = e as u32;
                end += 1;
            }
            let kept = end - own.start;
            for k in first_variable..own.end {
                let j = self.store[k] as usize;
                if self.weight[j] > 0 {
                    degree += self.weight[j];
                    hash = hash.wrapping_add(j as u32);
                    self.store[end] = j as u32;
                    end += 1;
                }
            }
            if degree == 0 {
                // mass elimination: nothing outside L_p is left, so i causes no fill after p
                self.degree[p] += self.weight[i];
                self.weight[p] += self.weight[i];
                self.weight[i] = 0;
                self.kind[i] = Kind::Gone;
                self.append_chain(p, i);
                continue;
            }
            // p, or an element absorbed by p, was in the list, so there is room for p at the front
            self.store[end] = self.store[own.start + kept];
            self.store[own.start + kept] = self.store[own.start];
            self.store[own.start] = p as u32;
            self.n_elements[i] = kept as u32 + 1;
            self.length[i] = (end + 1 - own.start) as u32;
            self.degree[i] = self.degree[i].min(degree);
            let h = hash as usize % self.bucket.len();
            self.hash[i] = h as u32;
            self.bucket_next[i] = self.bucket[h];
            self.bucket[h] = i as u32;
        }
    }

    /// Merges the variables of L_p with equal lists: they would have equal columns in the factor.
    fn merge_indistinguishable(&mut self, p: usize) {
        self.stamp += self.mark.len() as i64 + 1;
        for s in self.list(p) {
            let member = self.store[s] as usize;
            if self.weight[member] == 0 {
                continue;
            }
            let bucket = self.hash[member] as usize;
            let mut first = core::mem::replace(&mut self.bucket[bucket], NONE);
            while first != NONE {
                let i = first as usize;
                if self.bucket_next[i] != NONE {
                    // the first entry is p in all of these lists
                    for k in self.list(i).skip(1) {
                        self.mark[self.store[k] as usize] = self.stamp;
                    }
                    let mut before = i;
                    let mut candidate = self.bucket_next[i];
                    while candidate != NONE {
                        let j = candidate as usize;
                        candidate = self.bucket_next[j];
                        if self.has_marked_list(i, j) {
                            self.weight[i] += self.weight[j];
                            self.weight[j] = 0;
                            self.kind[j] = Kind::Gone;
                            self.append_chain(i, j);
                            self.bucket_next[before] = candidate;
                        } else {
                            before = j;
                        }
                    }
                    self.stamp += 1;
                }
                first = self.bucket_next[i];
            }
        }
    }

    fn has_marked_list(&self, i: usize, j: usize) -> bool {
        self.length[i] == self.length[j]
            && self.n_elements[i] == self.n_elements[j]
            && self.store[self.list(j)][1..]
                .iter()
                .all(|&x| self.mark[x as usize] == self.stamp)
    }

    /// Restores the weights, completes the degrees, shortens L_p to what is left.
    fn finish_element(&mut self, p: usize) {
        self.weight[p] = -self.weight[p];
        self.n_eliminated += self.weight[p];
        self.pivots.push(p as u32);
        let own = self.list(p);
        let mut end = own.start;
        for s in own.clone() {
            let i = self.store[s] as usize;
            let w = -self.weight[i];
            if w == 0 {
                continue;
            }
            self.weight[i] = w;
            // the least of three upper bounds [Amestoy, Davis, Duff 1996]
            let bound = self.degree[i] + self.degree[p] - w;
            self.degree[i] = bound.min(self.n_ordered - self.n_eliminated - w).max(0);
            self.enter_degree_list(i);
            self.store[end] = i as u32;
            end += 1;
        }
        self.length[p] = (end - own.start) as u32;
        self.weight[p] = 0;
        if end == own.start {
            self.kind[p] = Kind::Gone;
        }
        // nothing lies behind the list of p
        self.store.truncate(end);
    }

    /// The columns of `j` are to follow those of `i`.
    fn append_chain(&mut self, i: usize, j: usize) {
        self.chain_next[self.chain_last[i] as usize] = j as u32;
        self.chain_last[i] = self.chain_last[j];
    }

    /// Postorder of the tree of absorptions: a column then follows closely on those which update
    /// it.
    fn into_order(mut self) -> Vec<usize> {
        let n = self.kind.len();
        let mut order = Vec::with_capacity(n);
        // children of each element in the order of elimination; `head` and `next` are free now
        self.head.fill(NONE);
        let mut roots = Vec::new();
        for &e in self.pivots.iter().rev() {
            let parent = self.parent[e as usize];
            if parent == NONE {
                roots.push(e);
            } else {
                self.next[e as usize] = self.head[parent as usize];
                self.head[parent as usize] = e;
            }
        }
        let mut stack = Vec::new();
        while let Some(root) = roots.pop() {
            stack.push(root);
            while let Some(&e) = stack.last() {
                let child = self.head[e as usize];
                if child != NONE {
                    self.head[e as usize] = self.next[child as usize];
                    stack.push(child);
                } else {
                    stack.pop();
                    let mut column = e;
                    while column != NONE {
                        order.push(column as usize);
                        column = self.chain_next[column as usize];
                    }
                }
            }
        }
        order.extend(self.ordered_last.iter().map(|&i| i as usize));
        order
    }
}

/// Neighbours of each node in the graph of B + Bᵀ, without the node itself: lists, begins, lengths.
pub(super) fn symmetric_lists(
    pattern: &Pattern,
    row_of_column: &[usize],
) -> (Vec<u32>, Vec<usize>, Vec<u32>) {
    let n = pattern.n_columns();
    let mut node_of_row = vec![NONE; n];
    for (j, &i) in row_of_column.iter().enumerate() {
        node_of_row[i] = j as u32;
    }
    assert!(
        row_of_column.len() == n && !node_of_row.contains(&NONE),
        "rows are not permuted"
    );
    // count, place, then remove what is there twice
    let mut begin = vec![0; n + 1];
    for (i, j) in pattern.entries() {
        begin[node_of_row[i] as usize + 1] += 1;
        begin[j + 1] += 1;
    }
    for j in 0..n {
        begin[j + 1] += begin[j];
    }
    let mut place = begin.clone();
    let mut store = vec![0; 2 * pattern.len()];
    for (i, j) in pattern.entries() {
        let i = node_of_row[i] as usize;
        store[place[i]] = j as u32;
        place[i] += 1;
        store[place[j]] = i as u32;
        place[j] += 1;
    }
    let mut seen = vec![NONE; n];
    let mut length = vec![0; n];
    let mut end = 0;
    for j in 0..n {
        let own = begin[j]..begin[j + 1];
        begin[j] = end;
        seen[j] = j as u32;
        for k in own {
            let i = store[k];
            if seen[i as usize] != j as u32 {
                seen[i as usize] = j as u32;
                store[end] = i;
                end += 1;
            }
        }
        length[j] = (end - begin[j]) as u32;
    }
    store.truncate(end);
    begin.truncate(n);
    (store, begin, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of the Cholesky factor of B + Bᵀ in the given order, by the elimination tree's row
    /// subtrees.
    fn fill(pattern: &Pattern, order: &[usize]) -> usize {
        let n = order.len();
        let mut position = vec![0; n];
        for (k, &j) in order.iter().enumerate() {
            position[j] = k;
        }
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, j) in pattern.entries() {
            let (a, b) = (position[i], position[j]);
            below[a.max(b)].push(a.min(b));
        }
        let (mut parent, mut seen, mut count) = (vec![n; n], vec![n; n], n);
        for k in 0..n {
            seen[k] = k;
            for &start in &below[k] {
                let mut i = start;
                while seen[i] != k {
                    if parent[i] == n {
                        parent[i] = k;
                    }
                    seen[i] = k;
                    count += 1;
                    i = parent[i];
                }
            }
        }
        count
    }

    fn grid(m: usize) -> Pattern {
        let at = |x: usize, y: usize| x + m * y;
        let mut entries = Vec::new();
        for x in 0..m {
            for y in 0..m {
                entries.push((at(x, y), at(x, y)));
                if x + 1 < m {
                    entries.push((at(x, y), at(x + 1, y)));
                }
                if y + 1 < m {
                    entries.push((at(x, y + 1), at(x, y)));
                }
            }
        }
        Pattern::from_entries(m * m, m * m, entries)
    }

    fn is_permutation(order: &[usize]) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.iter().enumerate().all(|(i, &j)| i == j)
    }

    #[test]
    fn a_tree_has_no_fill() {
        let n = 1000;
        let tree = Pattern::from_entries(n, n, (1..n).flat_map(|i| [(i, i), (i, (i - 1) / 3)]));
        let rows: Vec<usize> = (0..n).collect();
        let order = approximate_minimum_degree(&tree, &rows);
        assert!(is_permutation(&order));
        assert_eq!(fill(&tree, &order), 2 * n - 1);
    }

    #[test]
    fn an_arrow_is_eliminated_from_its_point() {
        let n = 5000; // row 0 is dense
        let arrow = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (0, i), (i, 0)]));
        let rows: Vec<usize> = (0..n).collect();
        let order = approximate_minimum_degree(&arrow, &rows);
        assert!(is_permutation(&order));
        assert_eq!(order[n - 1], 0);
    }

    #[test]
    fn fill_of_a_grid_grows_slowly() {
        // nested dissection has about 31/4 n log₂ n; minimum degree is close to that at this size
        let p = grid(60);
        let rows: Vec<usize> = (0..3600).collect();
        let order = approximate_minimum_degree(&p, &rows);
        assert!(is_permutation(&order));
        assert_eq!(order, approximate_minimum_degree(&p, &rows));
        let entries = fill(&p, &order);
        assert!(entries < 60_000, "{entries} entries in the factor");
    }
}
