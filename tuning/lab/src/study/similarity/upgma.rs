//! Hierarchical clustering by UPGMA, the unweighted pair group method with arithmetic mean.
//!
//! The two closest clusters are merged until only one is left. The distance between two clusters is
//! the mean of the distances between their members (Hair, "A Pairwise Comparison of Chess Engine
//! Move Selections", "Interpretation of Dendrograms").

use std::fmt::Write;

/// A tree of clusters: a leaf, or two clusters and their distance.
#[derive(Clone, Debug, PartialEq)]
pub enum Cluster {
    Leaf(usize),
    Pair { left: Box<Cluster>, right: Box<Cluster>, distance: f64 },
}

/// Returns the tree for a symmetric table of distances. Among equal distances, the first one in the
/// table is used. Returns `None` if the table is empty.
pub fn cluster(distances: &[Vec<f64>]) -> Option<Cluster> {
    // A cluster is stored at the index of its first member. The entries of its other members are
    // empty.
    let mut places: Vec<Option<(Cluster, f64)>> =
        (0..distances.len()).map(|leaf| Some((Cluster::Leaf(leaf), 1.0))).collect();
    let mut distances = distances.to_vec();
    loop {
        let Some((one, other)) = nearest(&places, &distances) else {
            return places.into_iter().flatten().next().map(|(root, _)| root);
        };
        let ((left, left_size), (right, right_size)) = (places[one].take()?, places[other].take()?);
        let distance = distances[one][other];
        let size = left_size + right_size;
        for row in &mut distances {
            row[one] = (left_size * row[one] + right_size * row[other]) / size;
        }
        distances[one] = distances.iter().map(|row| row[one]).collect();
        let (left, right) = (Box::new(left), Box::new(right));
        places[one] = Some((Cluster::Pair { left, right, distance }, size));
    }
}

fn nearest<T>(places: &[Option<T>], distances: &[Vec<f64>]) -> Option<(usize, usize)> {
    let there: Vec<usize> = (0..places.len()).filter(|&place| places[place].is_some()).collect();
    let pairs = there
        .iter()
        .enumerate()
        .flat_map(|(index, &one)| there[index + 1..].iter().map(move |&other| (one, other)));
    pairs.min_by(|&(a, b), &(c, d)| distances[a][b].total_cmp(&distances[c][d]))
}

impl Cluster {
    /// The height: half the distance between the two parts, and 0 for leaves.
    pub fn height(&self) -> f64 {
        match self {
            Cluster::Leaf(_) => 0.0,
            Cluster::Pair { distance, .. } => distance / 2.0,
        }
    }

    /// The leaves from left to right.
    pub fn leaves(&self) -> Vec<usize> {
        match self {
            Cluster::Leaf(leaf) => vec![*leaf],
            Cluster::Pair { left, right, .. } => [left.leaves(), right.leaves()].concat(),
        }
    }

    /// The tree in Newick notation with branch lengths.
    pub fn newick(&self, names: &[String]) -> String {
        let mut text = String::new();
        self.write_newick(names, &mut text);
        text + ";"
    }

    fn write_newick(&self, names: &[String], text: &mut String) {
        match self {
            Cluster::Leaf(leaf) => text.push_str(&quoted(&names[*leaf])),
            Cluster::Pair { left, right, .. } => {
                for (before, part) in [("(", left), (",", right)] {
                    text.push_str(before);
                    part.write_newick(names, text);
                    let length = format!("{:.7}", self.height() - part.height());
                    let length = length.trim_end_matches('0').trim_end_matches('.');
                    let _ = write!(text, ":{length}");
                }
                text.push(')');
            }
        }
    }
}

/// Quotes a name if it contains characters of the notation.
fn quoted(name: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"()[]:;,'".contains(c);
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', "''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merges(tree: &Cluster) -> Vec<f64> {
        match tree {
            Cluster::Leaf(_) => Vec::new(),
            Cluster::Pair { left, right, distance } => {
                [merges(left), merges(right), vec![*distance]].concat()
            }
        }
    }

    #[test]
    fn the_textbook_example_is_clustered() {
        let distances = [
            [0, 17, 21, 31, 23],
            [17, 0, 30, 34, 21],
            [21, 30, 0, 28, 39],
            [31, 34, 28, 0, 43],
            [23, 21, 39, 43, 0],
        ];
        let distances = distances.map(|row| row.map(f64::from).to_vec());
        let tree = cluster(&distances).expect("a table with leaves");
        let names = ["A", "B", "C", "D", "E"].map(str::to_owned);
        assert_eq!(tree.newick(&names), "(((A:8.5,B:8.5):2.5,E:11):5.5,(C:14,D:14):2.5);");
        assert_eq!(merges(&tree), [17.0, 22.0, 28.0, 33.0]);
        assert_eq!(tree.leaves(), [0, 1, 4, 2, 3]);
    }

    #[test]
    fn small_and_odd_tables_have_trees_too() {
        assert_eq!(cluster(&[]), None);
        assert_eq!(cluster(&[vec![0.0]]), Some(Cluster::Leaf(0)));
        let equal = vec![vec![0.0; 3]; 3];
        let tree = cluster(&equal).expect("a table with leaves");
        let names = ["a", "b's (x)", ""].map(str::to_owned);
        assert_eq!(tree.newick(&names), "((a:0,'b''s (x)':0):0,'':0);");
    }
}
